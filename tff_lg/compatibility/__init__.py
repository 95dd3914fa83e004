"""TensorFlow Federated 0.87, also on later Pythons, TensorFlows and NumPys than it pins.

    from tff_lg.compatibility import tff

is `import tensorflow_federated as tff` wherever TFF works by itself. TFF imports packages of which
most programs use nothing, and which have no release for today's TensorFlow. Where one of them
cannot be imported, TFF gets a stand-in; using that raises an `ImportError` that says what is
missing. No file of an installed package is changed, and nothing that can be imported is replaced.

What the project uses of TFF beyond its public names comes from here too, so that this is the one
place to look when names of TFF move.
"""

# ruff: noqa: E402, I001  # Stand-ins come first.
import atexit

from tff_lg.compatibility import supply

supply.supply_missing()

import tensorflow_federated as tff
import tensorflow_privacy as tfp
from tensorflow_federated.proto.v0 import computation_pb2
from tensorflow_federated.python.common_libs import structure
from tensorflow_federated.python.core.backends.native import compiler as native_compiler
from tensorflow_federated.python.core.backends.test import compiler as secure_compiler
from tensorflow_federated.python.core.environments.tensorflow_backend import (
  compiled_computation_transformations,
  tensorflow_tree_transformations,
)
from tensorflow_federated.python.core.environments.tensorflow_frontend import (
  tensorflow_computation,
)
from tensorflow_federated.python.core.impl.compiler import array
from tensorflow_federated.python.core.impl.execution_contexts import sync_execution_context
from tensorflow_federated.python.core.impl.executors import cardinalities_utils
from tensorflow_federated.python.core.impl.types import type_conversions
from tensorflow_federated.python.core.impl.utils import tensorflow_utils
from tensorflow_federated.python.simulation.models import resnet_models

# A context that TFF made by itself would be deleted after the modules that it ends its worker with.
atexit.register(tff.test.set_no_default_context)

__all__ = [
  'array',
  'cardinalities_utils',
  'compiled_computation_transformations',
  'computation_pb2',
  'native_compiler',
  'resnet_models',
  'secure_compiler',
  'structure',
  'sync_execution_context',
  'tensorflow_computation',
  'tensorflow_tree_transformations',
  'tensorflow_utils',
  'tff',
  'tfp',
  'type_conversions',
]
