"""The methods: each a small factory that changes a few settings of the one process.

A `Method` turns a model and settings into a process. `METHODS` finds a factory by
the name that `--method` takes; a new method is one file and one line here.
"""

from collections.abc import Callable, Mapping

from tff_lg.learning.methods.fedavg import fedavg
from tff_lg.learning.methods.fedprox import fedprox
from tff_lg.learning.methods.fedsgd import fedsgd
from tff_lg.learning.methods.lg_fedavg import lg_fedavg
from tff_lg.learning.methods.local_only import local_only
from tff_lg.learning.methods.method import Method, MethodOptions
from tff_lg.learning.methods.mtl import mtl

METHODS: Mapping[str, Callable[[MethodOptions], Method]] = {
  'fedavg': fedavg,
  'fedprox': fedprox,
  'fedsgd': fedsgd,
  'lg_fedavg': lg_fedavg,
  'local_only': local_only,
  'mtl': mtl,
}

__all__ = [
  'METHODS',
  'Method',
  'MethodOptions',
  'fedavg',
  'fedprox',
  'fedsgd',
  'lg_fedavg',
  'local_only',
  'mtl',
]
