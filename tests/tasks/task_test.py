"""Tests of the entries of tasks and networks, which everything else is made of."""

import pathlib
from unittest import mock

import attrs
import numpy as np
from absl.testing import absltest

from tff_lg import data, tasks
from tff_lg.tasks import shared

_PAGE = pathlib.Path(__file__).parents[2] / 'docs' / 'YOUR_DATA.md'


@attrs.frozen
class _Sizes:
  vocabulary_size: int | None = shared.vocabulary_size()
  lstm_units: tuple[int, ...] = shared.lstm_units((2,))
  hidden_units: tuple[int, ...] = shared.hidden_units((2,))


class EntriesTest(absltest.TestCase):
  def test_order_of_help(self):
    named = ['digits', 'diabetes', 'mnist', 'cifar10', 'arrays', 'pfllib']
    others = ['school', 'vehicle', 'client_files', 'table', 'embeddings', 'images', 'mood', 'vqa']
    self.assertEqual(list(tasks.TASKS), [*named, 'text', 'chars', *others])
    self.assertContainsSubset(data.SOURCE_NAMES, named)

  def test_each_task_loads_its_data_in_one_way(self):
    for name, entry in tasks.TASKS.items():
      self.assertLen([x for x in (entry.load_data, entry.load_source) if x], 1, name)

  def test_networks_of_a_task(self):
    self.assertEqual(tasks.networks_of('diabetes'), ())
    self.assertEqual(tasks.networks_of('client_files'), ('mlp', 'lenet'))
    self.assertEqual(tasks.networks_of('cifar10')[0], tasks.TASKS['cifar10'].network)
    for entry in tasks.NETWORKS.values():
      self.assertContainsSubset(entry.tasks, tasks.TASKS)

  def test_network_by_name_and_by_default(self):
    self.assertIs(tasks.find_network('cifar10', 'resnet18'), tasks.NETWORKS['resnet18'])
    self.assertIs(tasks.find_network('embeddings', None), tasks.NETWORKS['dense'])
    self.assertEqual(tasks.find_network('mood', None).name, 'bilstm')

  def test_partition_that_depends_on_the_config(self):
    for client_column, data_dir, expected in (
      (None, 'd', 'iid'),
      ('c', 'd', 'natural'),
      (None, None, 'natural'),
    ):
      config = mock.Mock(client_column=client_column, data_dir=data_dir)
      self.assertEqual(tasks.TASKS['table'].default_partition(config), expected)
    self.assertEqual(tasks.TASKS['mnist'].default_partition(None), 'classes_per_client')

  def test_partition_of_arrays_follows_from_the_file(self):
    folder = pathlib.Path(self.create_tempdir().full_path)
    entry = tasks.TASKS['arrays']
    for arrays, expected in (({}, 'classes_per_client'), ({'users': [1, 2]}, 'natural')):
      np.savez(folder / 'train.npz', x=np.zeros([2, 3]), y=[0, 1], **arrays)
      self.assertEqual(entry.default_partition(mock.Mock(data_dir=str(folder))), expected)
    self.assertEqual(entry.default_partition(mock.Mock(data_dir=None)), 'classes_per_client')

  def test_traits_that_a_private_run_tells(self):
    derived = {name: [each.name for each in entry.derived] for name, entry in tasks.TASKS.items()}
    self.assertEqual(derived['vqa'], ['vocabulary', 'answers'])
    self.assertEqual(derived['digits'], [])

  def test_page_has_every_task(self):
    page = _PAGE.read_text(encoding='utf-8')
    for name, entry in tasks.TASKS.items():
      own = [] if isinstance(entry.network, str) else [entry.network.label]
      networks = ', '.join((*own, *(f'`{network}`' for network in tasks.networks_of(name))))
      self.assertIn(f'\n| `{name}` | {entry.label} | {networks} |\n', page)


class SharedOptionsTest(absltest.TestCase):
  def test_checks(self):
    _Sizes()
    for changes, sentence in (
      ({'vocabulary_size': 3}, '^vocabulary_size is 3, expected 4 or more.$'),
      ({'lstm_units': ()}, '^lstm_units is empty, expected at least one layer, each of 1 unit or'),
      ({'lstm_units': (5, 0)}, '^lstm_units is 5,0, expected at least one layer'),
      ({'hidden_units': (5, 0)}, '^hidden_units has 0, expected more than 0.$'),
    ):
      with self.assertRaisesRegex(ValueError, sentence):
        _Sizes(**changes)


if __name__ == '__main__':
  absltest.main()
