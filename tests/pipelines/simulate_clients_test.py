"""Tests of the command line, as a user calls it."""

import functools
import json
import os

import numpy as np
import pandas as pd
from absl.testing import absltest, parameterized

from pipelines import simulate_clients
from tests import processes
from tests.pipelines import in_process
from tff_lg import embeddings, heterogeneity


def _simulate(*arguments):
  return in_process.run(simulate_clients, *arguments)


def _embeddings(num_of_last_class=20):
  rng = np.random.default_rng(0)
  y = np.repeat([0, 1, 2], [40, 40, num_of_last_class]).astype(np.int32)
  ids = np.array([f'{i}.wav' for i in range(len(y))])
  return embeddings.EmbeddingSet(
    ids=ids,
    x=rng.normal(size=(len(y), 6)).astype(np.float32),
    y=y,
    split=np.where(np.arange(len(y)) % 4 == 1, 'test', 'train'),
    class_names=np.array(['bark', 'cough', 'rain']),
    keys=ids,
    provenance='{"preset": "none"}',
  )


class SimulateClientsTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path
    self.output_dir = os.path.join(self.folder, 'clients')
    self.output = f'--output_dir={self.output_dir}'
    self.source = os.path.join(self.folder, 'source.npz')

  def _assert_refused(self, result, sentence):
    self.assertEqual(result.returncode, 1)
    self.assertEqual(result.stdout, '')
    self.assertEqual(result.stderr.splitlines()[-1], f'simulate_clients: {sentence}')
    self.assertNotIn('Traceback', result.stderr)
    self.assertFalse(os.path.exists(self.output_dir))

  def test_digits(self):
    result = _simulate(self.output, '--shuffled_share=0,1', '--num_clients=5')
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertCountEqual(
      os.listdir(self.output_dir),
      [
        *('clients_p0.0.npz', 'clients_p1.0.npz', 'clients_p0.0.png', 'clients_p1.0.png'),
        *('distances.csv', 'distances.png'),
      ],
    )
    self.assertEndsWith(result.stdout, f'Files: {self.output_dir}\n')
    distances = pd.read_csv(os.path.join(self.output_dir, 'distances.csv'))
    self.assertSequenceEqual(list(distances), ['p', 'client', 'distance', 'num_examples'])
    self.assertSequenceEqual(distances['p'].tolist(), [0] * 5 + [1] * 5)
    means = distances.groupby('p')['distance'].mean()
    self.assertGreater(means[0], 3 * means[1])
    self.assertIn(f'   0  {means[0]:21,.4g}  ', result.stdout)
    # 80 % of the 1797 digits are for training.
    self.assertSequenceEqual(distances.groupby('p')['num_examples'].sum().tolist(), [1438] * 2)

  def test_embeddings_file(self):
    source = _embeddings()
    source.save(self.source)
    flags = (f'--embeddings={self.source}', self.output, '--num_clients=3', '--seed=4')
    result = _simulate(*flags, '--shuffled_share=0.5')
    self.assertEqual(result.returncode, 0, result.stderr)
    loaded = heterogeneity.load_clients(os.path.join(self.output_dir, 'clients_p0.5.npz'))
    expected = heterogeneity.simulate_clients(source.x, source.y, source.split, 3, 0.5, 4)
    np.testing.assert_array_equal(loaded.clients_of(source.ids), expected.client)
    np.testing.assert_array_equal(loaded.split, source.split)
    self.assertEqual((loaded.num_clients, loaded.shuffled_share, loaded.seed), (3, 0.5, 4))
    self.assertEqual(json.loads(loaded.provenance)['embeddings'], {'preset': 'none'})

  def test_class_with_fewer_examples_than_clients(self):
    _embeddings(num_of_last_class=3).save(self.source)  # Two of them for training.
    flags = (f'--embeddings={self.source}', self.output, '--num_clients=9', '--shuffled_share=0')
    result = _simulate(*flags)
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertStartsWith(result.stdout, '7 times a client has no centroid of a class')

  def test_clients_without_examples(self):
    source = _embeddings()
    source.take(np.arange(0, 100, 10)).save(self.source)  # Ten examples, for 30 clients.
    flags = (f'--embeddings={self.source}', self.output, '--num_clients=30', '--shuffled_share=1')
    result = _simulate(*flags)
    self.assertEqual(result.returncode, 0, result.stderr)
    distances = pd.read_csv(os.path.join(self.output_dir, 'distances.csv'))
    self.assertSequenceEqual(
      distances['distance'].isna().tolist(), (distances['num_examples'] < 2).tolist()
    )
    num_unknown = distances['distance'].isna().sum()
    self.assertIn(f'\n{num_unknown} clients (over all p) have under 2 training', result.stdout)
    self.assertNotIn('Warning', result.stderr)

  def test_same_command_same_files(self):
    _embeddings().save(self.source)
    flags = (f'--embeddings={self.source}', '--num_clients=3', '--shuffled_share=0.5')
    contents = []
    command = functools.partial(processes.run_python, '-m', 'pipelines.simulate_clients')
    for name, simulate in (('first', command), ('again', _simulate)):
      folder = os.path.join(self.folder, name)
      self.assertEqual(simulate(*flags, f'--output_dir={folder}').returncode, 0)
      contents.append({})
      for file_name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, file_name), 'rb') as file:
          contents[-1][file_name] = file.read()
    self.assertLen(contents[0], 4)
    self.assertEqual(contents[0], contents[1])

  @parameterized.named_parameters(
    ('no_flag', ('fast',), "Unexpected argument 'fast'; use --name=value."),
    ('share', ('--shuffled_share=0,2',), '--shuffled_share is 0,2, expected numbers in [0, 1].'),
    ('text', ('--shuffled_share=all',), '--shuffled_share is all, expected numbers in [0, 1].'),
    ('none', ('--shuffled_share=',), '--shuffled_share is , expected numbers in [0, 1].'),
    (
      'missing_file',
      ('--embeddings=nowhere.npz',),
      'nowhere.npz: no such file, expected one made by pipelines.embed.',
    ),
  )
  def test_refuses(self, flags, sentence):
    self._assert_refused(_simulate(*flags, self.output), sentence)

  def test_output_dir_is_needed(self):
    self._assert_refused(_simulate(), '--output_dir is missing, expected a folder for the files.')

  def test_output_dir_is_a_file(self):
    path = self.create_tempfile('taken').full_path
    result = _simulate(f'--output_dir={path}', '--shuffled_share=0')
    self.assertEqual(result.returncode, 1)
    self.assertIn(f'simulate_clients: {path}', result.stderr)
    self.assertNotIn('Traceback', result.stderr)

  def test_one_client(self):
    result = _simulate(self.output, '--num_clients=1')
    self.assertEqual(result.returncode, 1)
    self.assertIn('--num_clients', result.stderr)
    self.assertNotIn('Traceback', result.stderr)

  def test_imports_no_tensorflow(self):
    code = 'import sys, pipelines.simulate_clients, tff_lg.heterogeneity; print(*sys.modules)'
    modules = processes.run_python('-c', code).stdout.split()
    self.assertIn('pipelines.simulate_clients', modules)
    self.assertNoCommonElements(modules, ['tensorflow', 'sklearn', 'matplotlib'])


if __name__ == '__main__':
  absltest.main()
