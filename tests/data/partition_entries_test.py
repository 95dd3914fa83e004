"""Tests of the entries of partitions: what they build, and their table."""

import pathlib

import numpy as np
from absl.testing import absltest

from tff_lg import data

_PAGE = pathlib.Path(__file__).parents[2] / 'docs/PROTOCOL.md'


def _with(trait):
  return {name for name, entry in data.PARTITIONS.items() if getattr(entry, trait)}


class EntryTest(absltest.TestCase):
  def test_order_of_tables_and_of_the_flag(self):
    rules = ['iid', 'shards', 'classes_per_client', 'dirichlet', 'similarity']
    self.assertEqual(list(data.PARTITIONS), [*rules, 'natural', 'natural_iid', 'clusters'])

  def test_every_example_goes_to_one_client(self):
    examples = data.Examples(
      np.zeros([60, 1], np.float32),
      np.arange(60, dtype=np.int32) % 4,
      np.array(['a', 'b', 'c'] * 20),
    )
    for name, entry in data.PARTITIONS.items():
      if entry.build is not None:
        partitioner = entry.build(entry.options(), None if entry.is_natural else 3)
        clients = partitioner(examples, 4, np.random.default_rng(0))
        self.assertLen(clients, 3, name)
        self.assertCountEqual(np.concatenate(clients), range(60), name)

  def test_options_reach_the_partitioner(self):
    entry = data.PARTITIONS['classes_per_client']
    examples = data.Examples(np.zeros([40, 1], np.float32), np.arange(40, dtype=np.int32) % 4)
    partitioner = entry.build(entry.options(classes_per_client=1), 4)
    clients = partitioner(examples, 4, np.random.default_rng(0))
    self.assertEqual([len(set(examples.y[client])) for client in clients], [1] * 4)

  def test_traits(self):
    self.assertEqual(_with('is_natural'), {'natural', 'natural_iid'})
    self.assertEqual(_with('mixes_clients'), {'natural_iid'})
    self.assertEqual(set(data.PARTITIONS) - _with('build'), {'clusters'})

  def test_table_of_the_page_has_their_rows(self):
    page = _PAGE.read_text(encoding='utf-8')
    for name, entry in data.PARTITIONS.items():
      self.assertIn(f'\n| `{name}` | {entry.does} |\n', page)


if __name__ == '__main__':
  absltest.main()
