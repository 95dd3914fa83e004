"""Tests of clients that are read when needed: their parts, what is kept, and files of each."""

import os
import threading
from unittest import mock

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg import data
from tff_lg.data import arrays, client_parts


def _examples(start, size):
  """Makes examples whose x is their number."""
  x = np.arange(start, start + size, dtype=np.float32)[:, np.newaxis]
  return data.Examples(x, np.zeros(size, np.int32))


def _numbers(part):
  return part.x[:, 0].astype(int).tolist()


class PartSplitTest(parameterized.TestCase):
  @parameterized.parameters(
    ({'all': 20}, 14, 2, 4),  # 4 of 20, then 1.6 of 16.
    ({'all': 1}, 1, 0, 0),
    ({'all': 2}, 1, 0, 1),
    ({'all': 3}, 1, 1, 1),
    ({'train': 20}, 18, 2, 0),
    ({'train': 20, 'test': 7}, 18, 2, 7),
    ({'train': 20, 'validation': 0, 'test': 7}, 20, 0, 7),
  )
  def test_sizes(self, given, *expected):
    split = data.PartSplit()
    sizes = split.sizes(given)
    self.assertEqual(tuple(sizes[part] for part in client_parts.PARTS), expected)
    starts = {'all': 0, 'train': 0, 'validation': 100, 'test': 200}
    client = split.split('a', {name: _examples(starts[name], n) for name, n in given.items()})
    self.assertEqual(tuple(client.size(part) for part in client_parts.PARTS), expected)
    found = [n for part in client_parts.PARTS for n in _numbers(getattr(client, part))]
    # No example is lost, and none is in two parts.
    self.assertCountEqual(found, [starts[name] + i for name, n in given.items() for i in range(n)])

  def test_nothing_is_taken_for_a_fraction_of_0(self):
    sizes = data.PartSplit(0, 0).sizes({'all': 9})
    self.assertEqual(sizes, {'train': 9, 'validation': 0, 'test': 0})

  def test_a_split_follows_from_seed_and_name(self):
    def test_of(name, seed):
      return _numbers(data.PartSplit(seed=seed).split(name, {'all': _examples(0, 50)}).test)

    self.assertEqual(test_of('a', 0), test_of('a', 0))
    self.assertLen({tuple(test_of(*case)) for case in (('a', 0), ('b', 0), ('a', 1))}, 3)

  def test_fractions(self):
    with self.assertRaisesRegex(ValueError, 'test_fraction: 1 found'):
      data.PartSplit(0.1, 1)


class ClientReaderTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.reads = []

  def _read(self, number):
    self.reads.append((number, threading.current_thread()))
    if number == 3:
      raise data.DataError('d.npz is damaged.')
    return data.PartSplit().split('abcd'[number], {'all': _examples(10 * number, 10)})

  def _reader(self, cache_size, **changes):
    sizes = {'train': [7] * 4, 'validation': [1] * 4, 'test': [2] * 4}
    options = {'row_shape': (1,), 'num_classes': 2, 'cache_size': cache_size, **changes}
    return data.ClientReader('abcd', sizes, self._read, **options)

  def _numbers_read(self):
    return [number for number, _ in self.reads]

  def test_listing_reads_nothing(self):
    federated = self._reader(2).federate()
    self.assertEqual([client.client_id for client in federated.clients], list('abcd'))
    self.assertEqual([client.size('test') for client in federated.clients], [2] * 4)
    self.assertEqual(federated.test.x.shape, (0, 1))
    self.assertIsNone(federated.label_counts())
    self.assertIsNone(federated.num_classes_of_clients())
    held_out = data.hold_out_clients(federated, lambda ids: ids[:1])
    self.assertEqual([client.client_id for client in held_out.clients], list('bcd'))
    self.assertEmpty(self.reads)

  def test_those_wanted_last_are_kept(self):
    clients = self._reader(2).federate().clients
    for number in (0, 1, 0, 2, 0, 1):
      found = [*_numbers(clients[number].train), *_numbers(clients[number].test)]
      self.assertTrue(all(10 * number <= n < 10 * number + 10 for n in found))
    self.assertEqual(self._numbers_read(), [0, 1, 2, 1])

  def test_prefetched_clients_are_read_once_in_one_other_thread(self):
    reader = self._reader(3)
    reader.prefetch([2, 1])
    reader.prefetch([1])
    reader.read(1), reader.read(2)
    self.assertEqual(self._numbers_read(), [2, 1])
    threads = {thread for _, thread in self.reads}
    self.assertLen(threads, 1)
    self.assertNotIn(threading.current_thread(), threads)

  def test_nothing_is_read_ahead_that_could_not_be_kept(self):
    for cache_size, expected in ((0, [2]), (1, [0, 2])):
      self.reads.clear()
      reader = self._reader(cache_size)
      reader.prefetch([0, 1])
      reader.read(2)
      self.assertEqual(self._numbers_read(), expected)

  def test_what_is_given_up_is_read_when_it_is_wanted(self):
    reader = self._reader(4)
    reader.prefetch([1])
    reader.give_up()
    self.assertEqual(reader.read(0).size('train'), 7)
    self.assertEqual(reader.read(1).size('train'), 7)

  def test_an_error_waits_until_the_client_is_wanted(self):
    reader = self._reader(4)
    reader.prefetch([3, 0])
    self.assertEqual(reader.read(0).size('train'), 7)
    with self.assertRaisesRegex(data.DataError, '^d.npz is damaged.$'):
      reader.read(3)

  def test_a_client_that_is_not_as_listed(self):
    for changes, sentence in (
      ({'row_shape': (2,)}, r'client a: its train examples are x \[7, 1\] .* expected x \[7, 2\]'),
      ({'num_classes': 0}, r'client a \(train\): label 0 found'),
    ):
      with self.assertRaisesRegex(data.DataError, sentence):
        self._reader(1, **changes).read(0)

  def test_refuses(self):
    sizes = {'train': [1, 0], 'validation': [0, 0], 'test': [0, 0]}
    for ids, cache_size, sentence in (
      ('ab', 1, 'Client b has no training examples'),
      ('', 1, 'No client found'),
      ('aa', 1, 'a name twice'),
      ('abc', 1, r'expected \[3\]'),
      ('ab', -1, 'cache_size is -1'),
    ):
      with self.assertRaisesRegex(ValueError, sentence):
        data.ClientReader(ids, sizes, None, row_shape=(1,), num_classes=2, cache_size=cache_size)


class ClientFolderTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path

  def _save(self, name, **arrays):
    np.savez(os.path.join(self.folder, name), **arrays)

  def test_crc_tells_of_changed_examples_and_reads_none(self):
    x, y = np.arange(20.0).reshape(10, 2), np.arange(10) % 3

    def crc():
      with mock.patch.object(arrays, 'read_npz', side_effect=AssertionError):
        return data.load_client_folder(self.folder, 3).reader.data_crc32

    self._save('ann', x=x, y=y)
    self._save('bob', x=x, y=y)
    first = crc()
    self._save('ann', x=x, y=y)
    self.assertEqual(crc(), first)
    self._save('bob', x=-x, y=y)
    self.assertNotEqual(crc(), first)
    self._save('bob', x=x, y=2 - y)
    self.assertNotEqual(crc(), first)

  def test_clients(self):
    x = np.arange(20.0).reshape(10, 2)
    self._save('ann', x=x, y=np.arange(10) % 3)
    self._save('bob', x_train=x[:4], y_train=[0, 1, 2, 0], x_test=x[4:], y_test=[1] * 6)
    self._save(
      'cy',
      x_train=np.full([10, 2], 255, np.uint8),
      y_train=[2] * 10,
      x_validation=x[:0],
      y_validation=np.zeros(0, np.int64),
    )
    open(os.path.join(self.folder, 'README'), 'w').close()
    ann, bob, cy = data.load_client_folder(self.folder, 3).clients
    self.assertEqual([client.client_id for client in (ann, bob, cy)], ['ann', 'bob', 'cy'])
    self.assertEqual([ann.size(part) for part in client_parts.PARTS], [7, 1, 2])
    self.assertEqual([bob.size(part) for part in client_parts.PARTS], [3, 1, 6])
    self.assertEqual([cy.size(part) for part in client_parts.PARTS], [10, 0, 0])
    np.testing.assert_array_equal(bob.test.x, x[4:])
    np.testing.assert_array_equal(cy.train.x, [[1, 1]] * 10)
    rows = np.concatenate([ann.train.x, ann.validation.x, ann.test.x])
    labels = np.concatenate([ann.train.y, ann.validation.y, ann.test.y])
    np.testing.assert_array_equal(rows[np.argsort(rows[:, 0])], x)
    np.testing.assert_array_equal(labels, rows[:, 0] // 2 % 3)
    with np.load(os.path.join(self.folder, 'bob.npz')) as file:
      kept = [row for row in file['x_train'].tolist() if row in bob.train.x.tolist()]
    self.assertLen(kept, 3)

  def test_several_inputs(self):
    age, image = np.arange(4.0).reshape(4, 1), np.full([4, 1, 2], 255, np.uint8)
    self._save('ann', x_age=age, x_image=image, y=[0, 1, 2, 0])
    self._save(
      'bob',
      **{'x_train_image': image, 'x_train_age': age, 'y_train': [0, 1, 2, 0]},
      **{'x_test_age': -age[:1], 'x_test_image': image[:1], 'y_test': [1]},
    )
    federated_data = data.load_client_folder(self.folder, 3)
    self.assertEqual(federated_data.inputs, {'age': (1,), 'image': (1, 2)})
    ann, bob = federated_data.clients
    rows = np.concatenate([ann.train.x, ann.validation.x, ann.test.x])
    self.assertEqual(sorted(rows.tolist()), [[0, 1, 1], [1, 1, 1], [2, 1, 1], [3, 1, 1]])
    self.assertEqual((bob.size('train'), bob.size('validation')), (3, 1))
    self.assertEqual(bob.test.x.tolist(), [[0, 1, 1]])
    for given, sentence in (
      (
        {'x_age': age},
        r'cy.npz: the inputs age \[1\], expected the inputs age \[1\], image .1, 2.',
      ),
      ({'x': age}, r'cy.npz: x has rows of \[1\], expected the inputs age'),
      ({'x_age': age, 'x_image': image[:3]}, r'cy.npz: y is \[4\], expected \[3\], one label'),
    ):
      self._save('cy', y=[0, 1, 2, 0], **given)
      self._assert_refused(sentence)

  def test_arrays_beside_x_are_ignored(self):
    x = np.arange(8.0).reshape(4, 2)
    self._save('ann', x_train=x, y_train=[0, 1, 2, 0], x_mean=x[:1])
    self._save('bob', x=x, y=[0, 1, 2, 0], x_mean=x[:1])
    federated_data = data.load_client_folder(self.folder, 3)
    self.assertEmpty(federated_data.inputs)
    self.assertEqual(federated_data.clients[1].train.x.shape[1:], (2,))

  def _assert_refused(self, sentence):
    with self.assertRaisesRegex(data.DataError, sentence):
      data.load_client_folder(self.folder, 3)

  def test_refuses_when_the_clients_are_listed(self):
    self._assert_refused('no npz file found')
    ok = {'x': np.zeros([4, 2]), 'y': np.zeros(4, int)}
    self._save('a', **ok)
    for given, sentence in (
      ({'x': np.zeros([4, 3]), 'y': np.zeros(4, int)}, r'b.npz: x has rows of \[3\], .* as in a.n'),
      ({'x': np.zeros([0, 2]), 'y': np.zeros(0, int)}, 'b.npz: no training examples'),
      ({'x': np.zeros([4, 2])}, 'b.npz: y is missing'),
      ({'x': np.zeros([4, 2]), 'y': np.zeros(3, int)}, r'b.npz: y is \[3\], expected \[4\]'),
      ({'x': np.zeros([4, 0]), 'y': np.zeros(4, int)}, r'b.npz: x has rows of \[0\], expected at'),
      ({'y': np.zeros(4, int)}, 'b.npz: arrays y found, expected x and y'),
      ({**ok, 'x_test': ok['x'], 'y_test': ok['y']}, 'b.npz: arrays x, x_test'),
      ({**ok, 'y_test': ok['y']}, 'b.npz: y_test found without x_test, expected both'),
    ):
      self._save('b', **given)
      self._assert_refused(sentence)
    with open(os.path.join(self.folder, 'b.npz'), 'wb') as file:
      file.write(b'no archive')
    self._assert_refused('b.npz: cannot be read as an npz file')

  def test_refuses_when_a_client_is_read(self):
    x, y = np.arange(8.0).reshape(4, 2), np.arange(4)
    self._save('gone', x=x, y=y % 3)
    self._save('labels', x=x, y=y)
    self._save('numbers', x=np.where(x == 5, np.nan, x), y=y % 3)
    self._save('other', x=x, y=y % 3)
    clients = data.load_client_folder(self.folder, 3).clients
    os.remove(os.path.join(self.folder, 'gone.npz'))
    self._save('other', x=x[:3], y=y[:3])
    for client, sentence in zip(
      clients,
      (
        'no gone.npz found',
        'labels.npz: label 3 found at position 3',
        'numbers.npz: x has a value in row 2 that is not a finite',
        'client other: its train examples are',
      ),
      strict=True,
    ):
      with self.assertRaisesRegex(data.DataError, sentence):
        _ = client.train


if __name__ == '__main__':
  absltest.main()
