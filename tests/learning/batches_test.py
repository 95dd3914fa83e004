"""Tests of how examples become batches."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tff_lg import learning
from tff_lg.compatibility import tff

_SPEC = (tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([None], tf.int32))


def _client(num_examples, seed=(0, 0)) -> learning.ClientTensors:
  """Makes labels 0, 1, 2, … and twice the label as features."""
  y = np.arange(num_examples, dtype=np.int32)
  x = np.stack([2 * y, 2 * y], axis=1).astype(np.float32)
  return learning.ClientTensors(x, y, np.array(seed, np.int32))


def _fold(batches, data, training=False) -> list[str]:
  """Returns the labels of each batch, checked against its features, as text."""

  @tf.function
  def fold(data):
    def step(state, x, y):
      tf.debugging.assert_equal(x[:, 0], tf.cast(2 * y, tf.float32))
      return tf.strings.join([state, tf.strings.reduce_join(tf.as_string(y), separator=' '), '|'])

    return batches.fold(data, tf.constant(''), step, training)

  return fold(data).numpy().decode().split('|')[:-1]


def _key(batches, data, x, num_steps) -> tuple[int, ...]:
  key = batches.step_key(data, tf.constant(x), tf.constant(num_steps))
  assert (key.dtype, key.shape) == (tf.int64, [2])
  return tuple(key.numpy().tolist())


class TensorBatchesTest(parameterized.TestCase):
  @parameterized.parameters(
    (2, 1, ['0 1', '2 3', '4']),
    (2, 2, ['0 1', '2 3', '4', '0 1', '2 3', '4']),
    (5, 1, ['0 1 2 3 4']),
    (9, 1, ['0 1 2 3 4']),
    (None, 2, ['0 1 2 3 4', '0 1 2 3 4']),
  )
  def test_in_order(self, batch_size, num_epochs, expected):
    batches = learning.TensorBatches(batch_size, num_epochs, shuffle=False)
    self.assertEqual(_fold(batches, _client(5)), expected)

  @parameterized.parameters(
    (2, 1, 2, ['0 1', '2 3']),
    (2, 2, 4, ['0 1', '2 3', '4', '0 1']),
    (2, 1, 3, ['0 1', '2 3', '4']),
    (2, 2, 99, ['0 1', '2 3', '4', '0 1', '2 3', '4']),
    (None, 3, 1, ['0 1 2 3 4']),
  )
  def test_steps_at_most(self, batch_size, num_epochs, max_steps, expected):
    batches = learning.TensorBatches(batch_size, num_epochs, shuffle=False, max_steps=max_steps)
    self.assertEqual(_fold(batches, _client(5)), expected)
    self.assertEqual(_fold(batches, _client(0)), [])

  def test_fewer_steps_are_the_first_of_the_same_order(self):
    all_steps = _fold(learning.TensorBatches(4, 2), _client(10, seed=(1, 2)))
    some = _fold(learning.TensorBatches(4, 2, max_steps=4), _client(10, seed=(1, 2)))
    self.assertEqual(some, all_steps[:4])

  @parameterized.parameters(
    (0.0, []),
    (1e-30, ['0 1']),
    (0.2, ['0 1', '2 3']),
    (0.5, ['0 1', '2 3', '4']),
    (0.51, ['0 1', '2 3', '4', '0 1']),
    (1.0, ['0 1', '2 3', '4', '0 1', '2 3', '4']),
  )
  def test_work_share_of_six_steps_rounded_up(self, work_share, expected):
    batches = learning.TensorBatches(2, 2, shuffle=False)
    data = _client(5)._replace(work_share=np.float32(work_share))
    self.assertEqual(_fold(batches, data, training=True), expected)
    self.assertLen(_fold(batches, data), 6)  # Evaluation sees everything.

  def test_work_share_is_of_the_steps_at_most(self):
    batches = learning.TensorBatches(2, 2, shuffle=False, max_steps=4)
    data = _client(5)._replace(work_share=np.float32(0.5))
    self.assertEqual(_fold(batches, data, training=True), ['0 1', '2 3'])

  def test_a_straggler_does_the_first_steps_of_the_same_order(self):
    batches, data = learning.TensorBatches(4, 2), _client(10, seed=(1, 2))
    some = _fold(batches, data._replace(work_share=np.float32(0.5)), training=True)
    self.assertEqual(some, _fold(batches, data)[:3])

  def test_every_client_does_all_its_work_honestly_unless_said_otherwise(self):
    data = _client(3)
    self.assertEqual((data.work_share.dtype, data.work_share), (np.float32, 1))
    self.assertEqual((data.is_malicious.dtype, data.is_malicious), (np.bool_, False))

  @parameterized.parameters((2, True), (None, True), (2, False), (None, False))
  def test_no_examples_no_batches(self, batch_size, shuffle):
    batches = learning.TensorBatches(batch_size, 3, shuffle)
    self.assertEqual(_fold(batches, _client(0)), [])

  def test_every_epoch_has_all_examples_in_an_order_of_its_own(self):
    text = _fold(learning.TensorBatches(4, 3), _client(10, seed=(1, 2)))
    self.assertEqual([len(batch.split()) for batch in text], [4, 4, 2] * 3)
    epochs = [' '.join(text[i : i + 3]).split() for i in (0, 3, 6)]
    for epoch in epochs:
      self.assertEqual(sorted(map(int, epoch)), list(range(10)))
    self.assertLen({tuple(epoch) for epoch in epochs}, 3)

  def test_order_is_that_of_the_seed(self):
    batches = learning.TensorBatches(4)
    one, same, other = (_fold(batches, _client(10, seed)) for seed in ((1, 2), (1, 2), (1, 3)))
    self.assertEqual(one, same)
    self.assertNotEqual(one, other)

  def test_each_batch_is_augmented_with_a_seed_of_its_own(self):
    seeds = []

    def augment(x, seed):
      tf.py_function(lambda s: seeds.append(tuple(s.numpy())), [seed], [])
      return x

    batches = learning.TensorBatches(2, 2, augment=augment)
    self.assertLen(_fold(batches, _client(3, seed=(4, 7))), 4)
    # The first number differs from that of the shuffling, the second counts batches.
    self.assertEqual(seeds, [(5, 7), (5, 8), (5, 9), (5, 10)])

  def test_augmented_features_reach_the_step(self):
    batches = learning.TensorBatches(None, augment=lambda x, seed: x + 1)
    fold = tf.function(
      lambda data: batches.fold(data, 0.0, lambda state, x, y: state + tf.reduce_sum(x))
    )
    self.assertEqual(fold(_client(3)), 2 * (0 + 2 + 4) + 6)

  def test_type_of_a_client(self):
    expected = tff.StructWithPythonType(
      [
        ('x', tff.TensorType(np.float32, [None, 2])),
        ('y', tff.TensorType(np.int32, [None])),
        ('seed', tff.TensorType(np.int32, [2])),
        ('work_share', tff.TensorType(np.float32)),
        ('is_malicious', tff.TensorType(np.bool_)),
      ],
      learning.ClientTensors,
    )
    self.assertEqual(learning.TensorBatches(3).data_type(_SPEC), expected)

  @parameterized.parameters(
    ((0,), 'batch_size is 0, expected'),
    ((2, 0), 'num_epochs is 0, expected'),
    ((2, 1, True, 0), 'max_steps is 0, expected a positive number or None'),
  )
  def test_refuses(self, arguments, sentence):
    with self.assertRaisesRegex(ValueError, sentence):
      learning.TensorBatches(*arguments)

  @parameterized.parameters((5, 1, 5), (2, 3, 15), (0, 3, 0))
  def test_counts_what_a_client_has_if_it_made_a_step(self, num_seen, num_epochs, expected):
    batches = learning.TensorBatches(2, num_epochs, max_steps=1)
    count = batches.count_examples(_client(5), tf.constant(num_seen), lambda y: tf.shape(y)[0])
    self.assertEqual(count, expected)

  def test_key_of_a_step_is_of_the_seed_and_its_number(self):
    batches = learning.TensorBatches(2)
    seeds = [(0, 0), (0, 1), (1, 0), (-1, 0), (0, -1)]
    keys = [_key(batches, _client(3, seed), [0.0], 0) for seed in seeds]
    self.assertLen(set(keys), 5)
    self.assertEqual(_key(batches, _client(4, seeds[1]), [1.0], 6), (keys[1][0], 6))


class DatasetBatchesTest(absltest.TestCase):
  def test_batches_come_as_they_are(self):
    data = _client(5)
    dataset = tf.data.Dataset.from_tensor_slices((data.x, data.y)).batch(2).repeat(2)
    for training in (False, True):
      self.assertEqual(
        _fold(learning.DatasetBatches(), dataset, training), ['0 1', '2 3', '4', '0 1', '2 3', '4']
      )

  def test_counts_what_was_seen(self):
    count = learning.DatasetBatches().count_examples(None, tf.constant(7), None)
    self.assertEqual(count, 7)

  def test_key_of_a_step_is_of_its_batch_and_its_number(self):
    x = np.array([[1, 2], [3, 4]], np.float32)
    others = x[::-1], np.nextafter(x, np.float32(9)), x[:1], 0 * x, 0 * x[:1]
    keys = [_key(learning.DatasetBatches(), None, batch, 0) for batch in (x, *others)]
    self.assertLen(set(keys), 6)
    self.assertEqual(_key(learning.DatasetBatches(), None, x, 5), (keys[0][0], 5))
    self.assertNotEqual(*(_key(learning.DatasetBatches(), None, [n], 0) for n in (1, 2)))

  def test_type_of_a_client(self):
    expected = tff.SequenceType(
      (tff.TensorType(np.float32, [None, 2]), tff.TensorType(np.int32, [None]))
    )
    self.assertEqual(learning.DatasetBatches().data_type(_SPEC), expected)


if __name__ == '__main__':
  absltest.main()
