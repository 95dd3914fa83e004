"""Graphs that nothing but inputs ties to their parameters."""

import tensorflow as tf
from absl.testing import absltest

from tff_lg.runtime import graphs


def _graph_def():
  """Returns a graph whose sum waits for, and is placed with, one of its placeholders."""
  with tf.Graph().as_default() as graph:
    first = tf.compat.v1.placeholder(tf.float32, [2], 'first')
    second = tf.compat.v1.placeholder(tf.int32, None, 'second')
    with tf.control_dependencies([second]), tf.compat.v1.colocate_with(first.op):
      tf.add(first, 1.0, name='sum')
  return graph.as_graph_def()


class UntieParametersTest(absltest.TestCase):
  def test_specs_of_what_is_given(self):
    specs = graphs.untie_parameters(_graph_def(), ['first:0', 'other:0', 'second:0'])
    self.assertEqual(specs, [tf.TensorSpec([2], tf.float32), None, tf.TensorSpec(None, tf.int32)])

  def test_only_inputs_refer_to_parameters(self):
    graph_def = _graph_def()
    graphs.untie_parameters(graph_def, ['first:0', 'second:0'])
    nodes = {node.name: node for node in graph_def.node}
    self.assertEqual(list(nodes['sum'].input), ['first', 'sum/y'])
    self.assertNotIn('_class', nodes['sum'].attr)

  def test_nothing_is_placed_with_what_was_cut(self):
    graph_def = _graph_def()
    (placed,) = (node for node in graph_def.node if node.name == 'sum')
    placed.attr['_class'].list.s.append(b'loc:@gone')
    graphs.untie_parameters(graph_def, ['other:0'])
    self.assertEqual(list(placed.attr['_class'].list.s), [b'loc:@first'])

  def test_other_nodes_keep_their_control_inputs_and_places(self):
    graph_def = _graph_def()
    graphs.untie_parameters(graph_def, ['other:0'])
    self.assertEqual(graph_def, _graph_def())


if __name__ == '__main__':
  absltest.main()
