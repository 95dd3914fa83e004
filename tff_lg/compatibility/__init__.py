"""TensorFlow Federated 0.87, also on later Pythons, TensorFlows and NumPys than it pins.

    from tff_lg.compatibility import tff

is `import tensorflow_federated as tff` wherever TFF works by itself. TFF imports packages of which
most programs use nothing, and which have no release for today's TensorFlow. Where one of them
cannot be imported, TFF gets a stand-in; using that raises an `ImportError` that says what is
missing. No file of an installed package is changed, and nothing that can be imported is replaced.

What the project uses of TFF beyond its public names comes from here too, so that this is the one
place to look when names of TFF move.
"""

from tff_lg.compatibility.names import (
  array,
  cardinalities_utils,
  compiled_computation_transformations,
  computation_pb2,
  native_compiler,
  resnet_models,
  secure_compiler,
  structure,
  sync_execution_context,
  tensorflow_computation,
  tensorflow_tree_transformations,
  tensorflow_utils,
  tff,
  tfp,
  type_conversions,
)

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
