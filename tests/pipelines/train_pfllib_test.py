"""Test of a comparison on clients that another library has split, in PFLlib's layout of MNIST."""

import json
import pathlib

import numpy as np
import pandas as pd
from absl.testing import absltest

from pipelines import train
from tests.pipelines import in_process, testing

_NUM_CLIENTS = 20


def _write(folder):
  """Writes 20 clients of two classes each, as PFLlib's `generate_MNIST.py noniid balance pat` does.

  An image has a bright row that tells its class.
  """
  rng = np.random.default_rng(0)
  sizes = {}
  for client in range(_NUM_CLIENTS):
    classes = np.array([client % 10, (client + 1) % 10])
    for part, size in (('train', 12 + client), ('test', 4 + client % 3)):
      y = classes[np.arange(size) % 2].astype(np.int64)
      x = rng.normal(scale=0.1, size=[size, 1, 28, 28]).astype(np.float32)
      x[np.arange(size), 0, 2 * y] += 1
      path = folder / part / f'{client}.npz'
      path.parent.mkdir(parents=True, exist_ok=True)
      np.savez_compressed(path, data={'x': x, 'y': y})
      sizes[part, str(client)] = size
  config = {'num_clients': 20, 'num_classes': 10, 'non_iid': True, 'balance': True}
  (folder / 'config.json').write_text(json.dumps({**config, 'partition': 'pat', 'alpha': 0.1}))
  return sizes


def setUpModule():
  in_process.set_up_module()


class TrainPfllibTest(absltest.TestCase):
  def test_methods_compare_on_the_same_clients(self):
    folder = pathlib.Path(self.create_tempdir().full_path)
    sizes = _write(folder / 'mnist')
    result = in_process.run(
      train,
      '--task=pfllib',
      f'--data_dir={folder}/mnist',
      '--method=ditto',
      '--baselines=fedavg,local_only',
      '--local_budget=cohort',
      '--clients_per_round=10',
      '--rounds=4',
      '--evaluate_every=4',
      f'--run_dir={folder}/run',
    )
    self.assertEqual(result.returncode, 0, result.stderr)
    runs = [folder / 'run', *sorted((folder / 'run/baselines').iterdir())]
    self.assertEqual([run.name for run in runs], ['run', 'fedavg', 'local_only'])
    tables = [pd.read_parquet(run / 'clients.parquet').set_index('client_id') for run in runs]
    for clients in tables:
      self.assertCountEqual(clients.index, map(str, range(_NUM_CLIENTS)))
      for client, row in clients.iterrows():
        self.assertEqual(row['num_test'], sizes['test', client])
        self.assertEqual(row['num_train'] + row['num_validation'], sizes['train', client])
    ditto, fedavg, _ = (clients['local_test/accuracy'].mean() for clients in tables)
    # Of two classes a client knows its own; ten are more than four rounds teach everybody.
    self.assertGreater(ditto, fedavg)

    arguments = (f'--runs={folder}/run', f'--run_dir={folder}/board')
    result = testing.run('benchmark', *arguments)
    self.assertEqual(result.returncode, 0, result.stderr)
    board = pd.read_csv(folder / 'board/leaderboard.csv').set_index('method')
    self.assertEqual(board['num_clients'].tolist(), [_NUM_CLIENTS] * 3)
    self.assertAlmostEqual(board.loc['Ditto', 'mean'], ditto)
    of_ditto, of_fedavg = board.loc[['Ditto', 'FedAvg'], 'flops_per_client_and_round']
    self.assertAlmostEqual(of_ditto / of_fedavg, 2)


if __name__ == '__main__':
  absltest.main()
