"""Tests that TFF's private names do what the runtime relies on."""

import collections

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tff_lg.compatibility import native_compiler, tensorflow_tree_transformations, tff
from tff_lg.runtime import grappler
from tff_lg.runtime import tff_internals as internals
from tff_lg.simulation import execution

_PAIR = tff.to_type(collections.OrderedDict(b=np.int32, a=(np.float32, [None])))


def _pair(number, *floats):
  return tf.constant(number), tf.constant(floats, tf.float32)


def _plain(elements):
  return [(int(b), a.numpy().tolist()) for b, a in elements]


@tf.function(autograph=False)
def _grown(x):
  for _ in range(40):  # Grappler leaves small graphs alone.
    x = 2 * x
  return x


def _parts(block):
  """Returns the TensorFlow parts of a computation."""
  found = []

  def note(part):
    if isinstance(part, tff.framework.CompiledComputation):
      found.append(part)
    return part, False

  tff.framework.transform_postorder(block, note)
  return found


def _graph(part):
  """Returns a part's optimised graph as text."""
  graph = tf.compat.v1.GraphDef()
  grappler.optimize(part).graph_def.Unpack(graph)
  return str(graph)


class SequencesTest(parameterized.TestCase):
  @parameterized.parameters(0, 1, 2, 3, 100)
  def test_elements_go_in_and_come_out(self, count):
    elements = [_pair(number, *range(number % 3)) for number in range(count)]
    variant = internals.variant_of_elements(elements, _PAIR)
    for _ in range(2):  # It can be read again.
      self.assertEqual(_plain(internals.elements_of_variant(variant, _PAIR)), _plain(elements))

  def test_a_data_set_of_it_has_the_types_containers(self):
    variant = internals.variant_of_elements([_pair(1, 0.5)], _PAIR)
    (element,) = internals.dataset_from_variant(variant, _PAIR)
    self.assertIsInstance(element, collections.OrderedDict)
    self.assertEqual(list(element), ['b', 'a'])
    self.assertEqual(int(element['b']), 1)

  def test_strings_and_nested_structures(self):
    element_type = tff.to_type([(np.str_, (np.int32, np.str_))])[0]
    elements = [(tf.constant('x'), (tf.constant(1), tf.constant('y')))]
    for some in (elements, []):
      variant = internals.variant_of_elements(some, element_type)
      self.assertLen(internals.elements_of_variant(variant, element_type), len(some))

  def test_elements_without_tensors(self):
    with self.assertRaisesRegex(NotImplementedError, 'without tensors'):
      internals.variant_of_elements([()], tff.StructType([]))


class CheckArrayTest(parameterized.TestCase):
  @parameterized.parameters(
    (1.5, np.int32), ([1, 2], np.int32), ('a', np.float32), (np.float64(1), np.float32)
  )
  def test_refused(self, value, dtype):
    with self.assertRaisesRegex(TypeError, 'Expected a value of type'):
      internals.check_array(value, tff.TensorType(dtype))

  def test_lists_become_arrays(self):
    array = internals.check_array([[1.0], [2.0]], tff.TensorType(np.float32, [2, 1]))
    self.assertEqual((array.dtype, array.tolist()), (np.float32, [[1.0], [2.0]]))


class CompileTest(absltest.TestCase):
  def test_secure_sums_are_gone(self):
    computation = tff.federated_computation(
      lambda x: tff.federated_secure_sum(x, 10), tff.FederatedType(np.int32, tff.CLIENTS)
    )
    self.assertNotIn('secure', str(internals.compile_computation(computation)))

  def test_the_form_and_the_graphs_are_those_of_tffs_native_compiler(self):
    @tff.tensorflow.computation(tff.SequenceType(np.float32))
    def work(dataset):  # The function of `map` is not inlined.
      return dataset.map(_grown).reduce(np.float32(0), lambda total, x: total + x)

    @tff.federated_computation(tff.FederatedType(tff.SequenceType(np.float32), tff.CLIENTS))
    def computation(data):
      return tff.federated_sum(tff.federated_map(work, data))

    block, _ = tensorflow_tree_transformations.replace_intrinsics_with_bodies(
      computation.to_building_block()
    )
    native = native_compiler.transform_to_native_form(
      tff.framework.ConcreteComputation.from_building_block(block)
    ).to_building_block()
    compiled = internals.compile_computation(computation)
    self.assertEqual(compiled.type_signature, native.type_signature)
    found = list(map(_graph, _parts(compiled)))
    self.assertEqual(found, list(map(_graph, _parts(native))))
    self.assertTrue(any('PartitionedCall' in graph for graph in found))


class WorkerContextTest(absltest.TestCase):
  @absltest.skipIf(tf.__version__.startswith('2.14.'), "TFF's worker has all operations of 2.14.")
  def test_an_operation_that_the_worker_has_not(self):
    execution.end_worker_at_exit()
    pinned = tff.tensorflow.computation(
      lambda x: tf.raw_ops.CheckPinned(tensor=x), tff.TensorType(np.float32)
    )
    context = internals.create_worker_context()
    with (
      tff.framework.get_context_stack().install(context),
      self.assertRaisesRegex(
        NotImplementedError, r'no operation CheckPinned: run .* \(--runtime=local\)\.$'
      ),
    ):
      pinned(1.0)


if __name__ == '__main__':
  absltest.main()
