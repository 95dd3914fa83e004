"""TensorFlow parts, optimised by TensorFlow's Grappler before they are imported."""

import functools

import tensorflow as tf
from tensorflow.core.protobuf import device_properties_pb2
from tensorflow.python.grappler import cluster, tf_optimizer

from tff_lg.compatibility import compiled_computation_transformations, computation_pb2, tff
from tff_lg.runtime import graphs

# Fewer nodes than these are not worth a start of Grappler, which takes about 5 ms.
_FEW_NODES = 40


def optimize(part: tff.framework.CompiledComputation) -> computation_pb2.TensorFlow:
  """Optimises a TensorFlow part by Grappler, which inlines its functions.

  As TFF's native compiler does, with two passes off:

  - Memory optimisation computes activations a second time to save some, after which a
    convolution, its bias and its activation are no longer fused.
  - Constant folding rebuilds its map of the graph once for each level of nodes. It also turns
    each `tf.zeros` into a constant, and unpacks that to look for zeros whenever it meets it. For
    ResNet-18 that is nine tenths of the time here. TensorFlow folds constants again when it
    instantiates a function for which that pays, see `tensorflow_functions.rewriting_config`.

  A few operations stay as they are: Grappler takes longer to start than it could save.
  """
  computation = part.proto.tensorflow
  if _is_small(computation):
    return computation
  if b'PartitionedCall' in computation.graph_def.value:
    # Functions that are not inlined are not optimised again, as by TFF's native compiler.
    part, _ = compiled_computation_transformations.transform_tf_call_ops_to_disable_grappler(part)
  try:
    graph_def = tf_optimizer.OptimizeGraph(
      _config(), _meta_graph(part.proto.tensorflow), cluster=cluster.Cluster(devices=_devices())
    )
  except ValueError:  # Grappler finds nothing that the graph is for.
    return part.proto.tensorflow
  optimized = computation_pb2.TensorFlow()
  optimized.CopyFrom(computation)
  optimized.graph_def.Pack(graph_def, deterministic=True)
  return optimized


def _is_small(computation: computation_pb2.TensorFlow) -> bool:
  graph_def = tf.compat.v1.GraphDef()
  computation.graph_def.Unpack(graph_def)
  functions = graph_def.library.function
  return len(graph_def.node) + sum(len(each.node_def) for each in functions) < _FEW_NODES


def _config() -> tf.compat.v1.ConfigProto:
  config = tf.compat.v1.ConfigProto()
  options = config.graph_options.rewrite_options
  options.memory_optimization = options.NO_MEM_OPT
  options.constant_folding = options.OFF
  options.arithmetic_optimization = options.AGGRESSIVE
  options.loop_optimization = options.AGGRESSIVE
  options.function_optimization = options.AGGRESSIVE
  return config


def _meta_graph(computation: computation_pb2.TensorFlow) -> tf.compat.v1.MetaGraphDef:
  """Returns the graph with what Grappler asks of it: what is fed, and the names of results.

  TFF imports the graph to find these. The types and shapes of what is fed are in its nodes, and
  Grappler does not use those of results.
  """
  meta_graph = tf.compat.v1.MetaGraphDef()
  computation.graph_def.Unpack(meta_graph.graph_def)
  if computation.initialize_op:
    initialize = meta_graph.collection_def[tf.compat.v1.GraphKeys.INIT_OP]
    initialize.node_list.value.append(computation.initialize_op)
  signature = meta_graph.signature_def['FunctionSpec']
  nodes = {node.name: node for node in meta_graph.graph_def.node}
  for index, name in enumerate(graphs.tensor_names(computation.parameter)):
    fed, attributes = signature.inputs[f'arg_{index}'], nodes[graphs.node_name(name)].attr
    fed.name, fed.dtype = name, attributes['dtype'].type
    fed.tensor_shape.CopyFrom(attributes['shape'].shape)
  for index, name in enumerate(graphs.tensor_names(computation.result)):
    signature.outputs[f'output_{index}'].name = name
  return meta_graph


@functools.cache
def _devices() -> list[device_properties_pb2.NamedDevice]:
  """Returns the machine's devices: to look for them once a graph takes 8 ms each time."""
  # TensorFlow wants no two clusters of a machine at a time; its own have this lock.
  with tf_optimizer._OPTIMIZE_GRAPH_CLUSTER_LOCK:
    machine = cluster.Cluster()
    try:
      return machine.ListDevices()
    finally:
      machine.Shutdown()
