"""Tests of clients and their three parts."""

import itertools

import hypothesis
import numpy as np
from absl.testing import absltest, parameterized
from hypothesis import strategies as st

from tff_lg.data import examples, federated, partitioners

_SETTINGS = {'deadline': None, 'derandomize': True, 'database': None, 'max_examples': 40}
_PARTITIONERS = (
  ('iid', partitioners.iid(4)),
  ('shards', partitioners.shards(4, 2)),
  ('classes_per_client', partitioners.classes_per_client(4, 2)),
  ('dirichlet', partitioners.dirichlet(4, 0.5)),
  ('natural', partitioners.natural()),
)


def setUpModule():
  hypothesis.configuration.set_hypothesis_home_dir(absltest.get_default_test_tmpdir())


def _source(train_labels, test_labels, users=None, test_users=None) -> examples.Source:
  """Makes examples whose x is their number: training from 0, test from 1000."""

  def make(labels, start, names):
    labels = np.array(labels, np.int32)
    x = np.arange(start, start + len(labels), dtype=np.float32)[:, np.newaxis]
    return examples.Examples(x, labels, None if names is None else np.array(names))

  train, test = make(train_labels, 0, users), make(test_labels, 1000, test_users)
  num_classes = 1 + int(train.y.max())
  names = tuple(f'class {label}' for label in range(num_classes))
  return examples.Source('toy', train, test, num_classes, names)


def _numbers(part: examples.Examples) -> list[int]:
  return part.x[:, 0].astype(int).tolist()


def _fixed(*parts) -> partitioners.Partitioner:
  return lambda *_: tuple(np.array(part, np.int64) for part in parts)


def _partition(source, partitioner, validation_fraction=0.25, seed=0, **options):
  return federated.partition_clients(
    source, partitioner, validation_fraction=validation_fraction, seed=seed, **options
  )


class EveryPartitionerTest(parameterized.TestCase):
  @parameterized.named_parameters(*_PARTITIONERS)
  @hypothesis.settings(**_SETTINGS)
  @hypothesis.given(
    labels=st.lists(st.integers(0, 4), min_size=1, max_size=60),
    test_labels=st.lists(st.integers(0, 4), max_size=30),
    validation_fraction=st.floats(0, 0.9),
    seed=st.integers(0, 2**32),
  )
  def test_no_example_is_in_two_places(
    self, partitioner, labels, test_labels, validation_fraction, seed
  ):
    labels = [*labels, 4]
    users = [f'user {i * i % 7}' for i in range(len(labels))]
    source = _source(labels, test_labels, users)
    data = _partition(source, partitioner, validation_fraction, seed, allow_empty_clients=True)
    parts = [
      _numbers(part)
      for client in data.clients
      for part in (client.train, client.validation, client.test)
    ]
    train = sorted(itertools.chain(*parts[0::3], *parts[1::3]))
    self.assertEqual(train, list(range(len(labels))))  # All of it, nothing twice.
    test = list(itertools.chain(*parts[2::3]))
    self.assertLen(set(test), len(test))
    self.assertTrue(all(number >= 1000 for number in test))
    # What no client gets is of a class that no client has.
    unused = set(range(1000, 1000 + len(test_labels))) - set(test)
    self.assertTrue(all(test_labels[number - 1000] not in labels for number in unused))
    for client in data.clients:
      self.assertContainsSubset(client.validation.y, client.train.y)
      self.assertContainsSubset(client.test.y, client.train.y)

  @parameterized.named_parameters(*_PARTITIONERS)
  def test_same_classes_in_all_parts(self, partitioner):
    labels, test_labels = np.arange(4000) % 5, np.arange(600) % 5
    users = [f'user {i // 500}' for i in range(4000)]
    data = _partition(_source(labels, test_labels, users), partitioner)
    for client in data.clients:
      counts = np.bincount(client.train.y) + np.bincount(client.validation.y)
      self.assertGreaterEqual(counts[counts > 0].min(), 2)
      self.assertEqual(set(client.train.y), set(client.validation.y))
      self.assertEqual(set(client.train.y), set(client.test.y))

  @parameterized.named_parameters(*_PARTITIONERS)
  def test_seed_decides_everything(self, partitioner):
    users = [f'user {i // 25}' for i in range(200)]
    source = _source(np.arange(200) % 5, np.arange(100) % 5, users)

    def numbers(seed):
      return [
        _numbers(part)
        for client in _partition(source, partitioner, seed=seed).clients
        for part in (client.train, client.validation, client.test)
      ]

    self.assertEqual(numbers(3), numbers(3))
    self.assertNotEqual(numbers(3), numbers(4))


class PartitionClientsTest(parameterized.TestCase):
  def test_test_examples_follow_the_training_labels(self):
    # Class 0 is shared 3 : 1, class 1 is the second client's alone.
    source = _source([0, 0, 0, 0, 1, 1], [0] * 8 + [1] * 3)
    data = _partition(source, _fixed([0, 1, 2], [3, 4, 5]), validation_fraction=0)
    counts = [np.bincount(client.test.y, minlength=2).tolist() for client in data.clients]
    self.assertEqual(counts, [[6, 0], [2, 3]])

  def test_a_small_share_still_gets_one(self):
    source = _source([0] * 100, [0] * 10)
    data = _partition(source, _fixed(range(99), [99]))
    self.assertEqual([len(client.test) for client in data.clients], [9, 1])

  def test_uneven_sizes(self):
    source = _source([0] * 60 + [1] * 40, [0] * 6 + [1] * 4)
    data = _partition(source, _fixed(range(80), range(80, 98), range(98, 100)))
    self.assertEqual([len(client.train) for client in data.clients], [60, 13, 1])
    self.assertEqual([len(client.validation) for client in data.clients], [20, 5, 1])
    np.testing.assert_array_equal(data.label_counts(), [[60, 20], [0, 18], [0, 2]])
    self.assertEqual(data.label_counts().dtype, np.int64)

  def test_no_validation(self):
    data = _partition(_source([0] * 8, [0]), partitioners.iid(2), validation_fraction=0)
    self.assertEqual([len(client.validation) for client in data.clients], [0, 0])
    self.assertEqual([len(client.train) for client in data.clients], [4, 4])

  def test_validation_fraction_changes_nothing_else(self):
    source = _source(np.arange(80) % 4, np.arange(33) % 4)
    some, none = (
      _partition(source, partitioners.dirichlet(3, 5.0), fraction) for fraction in (0.5, 0)
    )
    np.testing.assert_array_equal(some.label_counts(), none.label_counts())
    for with_validation, without in zip(some.clients, none.clients, strict=True):
      self.assertEqual(_numbers(with_validation.test), _numbers(without.test))

  def test_whole_test_set_and_classes_are_passed_on(self):
    source = _source([0, 1], [0, 1, 1])
    data = _partition(source, partitioners.iid(1))
    self.assertIs(data.test, source.test)
    self.assertEqual((data.num_classes, data.class_names), (2, ('class 0', 'class 1')))

  @parameterized.parameters((10, 'client_0', 'client_9'), (11, 'client_00', 'client_10'))
  def test_ids_sort_by_number(self, num_clients, first, last):
    clients = _partition(_source([0] * 22, [0]), partitioners.iid(num_clients)).clients
    self.assertEqual((clients[0].client_id, clients[-1].client_id), (first, last))

  @parameterized.parameters(-0.1, 1, float('nan'))
  def test_refuses_validation_fraction(self, fraction):
    with self.assertRaisesRegex(ValueError, f'validation_fraction: {fraction} found, expected'):
      _partition(_source([0], [0]), partitioners.iid(1), fraction)

  @parameterized.parameters(
    (([0, 1], [1]), 'gave example 1 out 2 times, expected once'),
    (([0], [3]), 'gave indices from 0 to 3, expected 0 to 2'),
    (([-1], [0]), 'gave indices from -1 to 0, expected 0 to 2'),
  )
  def test_refuses_wrong_partition(self, parts, message):
    with self.assertRaisesRegex(ValueError, message):
      _partition(_source([0, 0, 0], [0]), _fixed(*parts))


class EmptyClientsTest(absltest.TestCase):
  def test_refused_in_a_sentence(self):
    with self.assertRaisesRegex(
      ValueError,
      r'client_2: no training examples found \(2 such clients of 4\), expected at least one: '
      'lower num_clients or, for a dirichlet partition, raise alpha',
    ):
      _partition(_source([0, 0], [0]), partitioners.iid(4))

  def test_kept_if_allowed(self):
    data = _partition(_source([0] * 8, [0] * 4), _fixed(range(8), []), allow_empty_clients=True)
    full, empty = data.clients
    self.assertEqual([len(full.train), len(full.validation), len(full.test)], [6, 2, 4])
    self.assertEqual([len(empty.train), len(empty.validation), len(empty.test)], [0, 0, 0])
    np.testing.assert_array_equal(data.label_counts(), [[8], [0]])

  def test_no_test_examples_is_a_warning(self):
    with self.assertLogs(level='WARNING') as logs:
      _partition(_source([0, 0, 0], [0]), partitioners.iid(3))
    self.assertIn('2 of 3 clients have no test examples', logs.output[0])


class UsersTest(absltest.TestCase):
  def test_users_keep_their_own_test_examples(self):
    source = _source([0, 1, 0], [0, 1, 0, 1], ['bo', 'al', 'bo'], ['bo', 'cy', 'al', 'bo'])
    al, bo = _partition(source, partitioners.natural()).clients
    self.assertEqual((al.client_id, bo.client_id), ('al', 'bo'))
    self.assertEqual((_numbers(al.test), _numbers(bo.test)), ([1002], [1000, 1003]))

  def test_without_users_in_test_the_labels_decide(self):
    source = _source([0, 1, 0], [0, 1, 0, 1], ['bo', 'al', 'bo'])
    al, bo = _partition(source, partitioners.natural()).clients
    self.assertEqual((_numbers(al.test), _numbers(bo.test)), ([1001, 1003], [1000, 1002]))

  def test_clients_that_mix_users_are_numbered(self):
    source = _source([0, 0, 0], [0, 0], ['al', 'al', 'bo'], ['al', 'bo'])
    for parts in (([0, 2], [1]), ([0], [1])):
      clients = _partition(source, _fixed(*parts)).clients
      self.assertEqual([client.client_id for client in clients], ['client_0', 'client_1'])
      self.assertEqual([len(client.test) for client in clients], [1, 1])


if __name__ == '__main__':
  absltest.main()
