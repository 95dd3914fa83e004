"""Makes TensorFlow see a loop's body in its order.

On the CPU, a pass of oneDNN walks the graph depth first. It replaces an operation of a gradient
only if it has replaced the operation's forward partner before. The end of a loop leads back to
its start, so the pass may reach the gradient first. Max-pooling's gradient then takes five times as
long; whether it does depends on the names of the nodes. If every value enters the body by one and
the same node, the walk's order is the body's.
"""

import collections

import tensorflow as tf

from tff_lg.runtime import graphs


def order_bodies(graph_def: tf.compat.v1.GraphDef) -> None:
  """Lets the values of each loop in the graph enter its body by one node, in place.

  Args:
    graph_def: a graph; its loops are of LoopCond, Switch and other such nodes, as
      TFF's compiler leaves them. Functions of its library are not looked at.
  """
  if not enter_by_one_node():
    return
  conditions = {node.name for node in graph_def.node if node.op == 'LoopCond'}
  switches = collections.defaultdict(list)
  for node in graph_def.node:
    if node.op == 'Switch' and graphs.node_name(node.input[1]) in conditions:
      switches[graphs.node_name(node.input[1])].append(node)
  entrances = []
  entries = {}  # tensors that enter a body, and where they do so from now on
  for of_loop in switches.values():
    entrance = tf.compat.v1.NodeDef(name=f'{of_loop[0].name}/body_entrance', op='IdentityN')
    for index, switch in enumerate(of_loop):
      entries[f'{switch.name}:1'] = f'{entrance.name}:{index}'
      entrance.input.append(f'{switch.name}:1')
      entrance.attr['T'].list.type.append(switch.attr['T'].type)
    entrances.append(entrance)
  for node in graph_def.node:
    for index, name in enumerate(node.input):
      node.input[index] = entries.get(name, name)
  graph_def.node.extend(entrances)


def enter_by_one_node() -> bool:
  """Returns whether values are to enter a loop's body by one node, which all its work uses."""
  # oneDNN is for CPUs, and the node would move counters of the loop to the GPU.
  return not tf.config.get_visible_devices('GPU')
