"""Test of the training pipeline on text, run as a user runs it."""

import json
import os

import pandas as pd
from absl.testing import absltest

from tests import processes


class TrainTextTest(absltest.TestCase):
  def _train(self, *arguments):
    self.run_dir = self.create_tempdir().full_path + '/run'
    return processes.run_python('-m', 'pipelines.train', *arguments, f'--run_dir={self.run_dir}')

  def test_own_text_from_file_to_report(self):
    lines = ['The cat sat.', 'The cat ran.'] * 8
    users = [json.dumps({'user': user, 'lines': lines}) for user in ('al', 'bo', 'cy')]
    path = self.create_tempfile('users.jsonl', '\n'.join(users)).full_path
    result = self._train(
      *f'--task=text --data_dir={path} --lstm_units=8 --embedding_units=8 --sequence_length=5 '
      '--tied_embeddings --method=fedavg --rounds=6 --clients_per_round=3 '
      '--client_epochs=5 --client_learning_rate=1 --evaluate_every=3 --local_only_epochs=2 '
      '--local_only_learning_rate=1'.split()
    )
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertIn(f'Report: {self.run_dir}/report.html', result.stdout)
    with open(f'{self.run_dir}/summary.json', encoding='utf-8') as file:
      summary = json.load(file)
    # After "the" comes "cat", after "cat" either of two words, and so on.
    self.assertGreater(summary['pooled_test/accuracy'], 0.5)
    self.assertGreater(summary['new_test/accuracy/weight_average'], 0.5)
    self.assertNotIn('new_test/accuracy/ensemble_vote', summary)
    clients = pd.read_parquet(f'{self.run_dir}/clients.parquet')
    # 12 of 16 lines of 5 tokens, and the, cat, sat, ran, full stop, end of line.
    self.assertEqual(set(clients['num_train']), {13 * 5})
    self.assertEqual(set(clients['num_classes']), {6})
    self.assertFalse(os.path.exists(f'{self.run_dir}/label_counts.csv'))

  def test_broken_file_is_one_sentence(self):
    path = self.create_tempfile('users.jsonl', '{"user": "al"}').full_path
    result = self._train('--task=chars', f'--data_dir={path}')
    self.assertEqual(result.returncode, 1)
    self.assertIn(f'train: {path}, line 1: {{"user": "al"}} found, expected', result.stderr)
    self.assertNotIn('Traceback', result.stderr)


if __name__ == '__main__':
  absltest.main()
