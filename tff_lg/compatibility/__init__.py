"""TensorFlow Federated 0.87, also on later Pythons, TensorFlows and NumPys than it pins.

    from tff_lg.compatibility import tff

is `import tensorflow_federated as tff` wherever TFF works by itself. TFF imports packages that most
programs do not use, and that have no release for today's TensorFlow. Where one of them cannot be
imported, TFF gets a stand-in; using that raises an `ImportError` that says what is missing. No file
of an installed package is changed, and nothing that can be imported is replaced. `mends` changes
some functions of TFF in memory, and `delayed` puts off two imports of packages.

The names of TFF that the project uses beyond the public ones come from here too. So this is the
one place to look when names of TFF move. Those that its repository has moved since 0.87 are taken
from where they are, see `moved`.
"""

# ruff: noqa: E402, I001  # Stand-ins come first.
import atexit
import typing

from tff_lg.compatibility import mends, moved, supply

supply.supply_missing()

import tensorflow_federated as tff
import tensorflow_privacy as tfp
from tensorflow.python.autograph.core import config as autograph_config
from tensorflow_federated.python.core.backends.native import compiler as native_compiler
from tensorflow_federated.python.core.backends.test import compiler as secure_compiler
from tensorflow_federated.python.core.environments.tensorflow_backend import (
  compiled_computation_transformations,
  tensorflow_tree_transformations,
)
from tensorflow_federated.python.core.environments.tensorflow_frontend import (
  tensorflow_computation,
)
from tensorflow_federated.python.simulation.models import resnet_models

if moved.has_moved(tff):
  from federated_language.common_libs import structure
  from federated_language.compiler import array
  from federated_language.framework import (
    SyncExecutionContext,
    infer_cardinalities,
    type_to_py_container,
  )
  from federated_language.proto import computation_pb2
  from tensorflow_federated.python.core.environments.tensorflow_backend import tensorflow_utils
  from tensorflow_federated.python.core.environments.tensorflow_backend.type_conversions import (
    type_to_tf_structure,
  )
else:
  from tensorflow_federated.proto.v0 import computation_pb2
  from tensorflow_federated.python.common_libs import structure
  from tensorflow_federated.python.core.impl.compiler import array
  from tensorflow_federated.python.core.impl.execution_contexts.sync_execution_context import (
    SyncExecutionContext,
  )
  from tensorflow_federated.python.core.impl.executors.cardinalities_utils import (
    infer_cardinalities,
  )
  from tensorflow_federated.python.core.impl.types import type_serialization
  from tensorflow_federated.python.core.impl.types.type_conversions import (
    type_to_py_container,
    type_to_tf_structure,
  )
  from tensorflow_federated.python.core.impl.utils import tensorflow_utils

  mends.remember_types(type_serialization, computation_pb2.Type)
  mends.tell_nesting(type_serialization, tff.framework.ComputationBuildingBlock)

if not typing.TYPE_CHECKING:
  tff = moved.join(tff)

mends.mend(tff)
mends.leave_unconverted(autograph_config)

# A context that TFF made by itself would be deleted after the modules that it ends its worker with.
atexit.register(tff.test.set_no_default_context)

__all__ = [
  'SyncExecutionContext',
  'array',
  'compiled_computation_transformations',
  'computation_pb2',
  'infer_cardinalities',
  'native_compiler',
  'resnet_models',
  'secure_compiler',
  'structure',
  'tensorflow_computation',
  'tensorflow_tree_transformations',
  'tensorflow_utils',
  'tff',
  'tfp',
  'type_to_py_container',
  'type_to_tf_structure',
]
