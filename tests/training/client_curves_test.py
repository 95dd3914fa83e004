"""Tests of curves per client: which points are kept, and that a resumed run has the same bytes."""

import os
from unittest import mock

import numpy as np
import pandas as pd
from absl.testing import absltest

from tff_lg import files
from tff_lg.training import client_curves


class ClientCurvesTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path
    self.path = os.path.join(self.folder, 'client_curves.parquet')

  def _curves(self, part='validation'):
    return client_curves.ClientCurves(self.folder, part)

  def _evaluate(self, curves, round_num, ids='ab', **of_validation):
    values = {name: np.array(value, np.float64) for name, value in of_validation.items()}
    state = mock.Mock(round_num=round_num)
    curves.on_client_metrics(state, list(ids), {'validation': values})

  def test_two_clients(self):
    curves = self._curves()
    self._evaluate(curves, 2, loss=[0.5, 2.0], accuracy=[0.75, 0.25])
    self._evaluate(curves, 4, loss=[0.25, np.nan], accuracy=[1.0, np.nan])
    curves.on_run_end()
    expected = {
      'round_num': [2, 2, 4, 4],
      'client_id': ['a', 'b', 'a', 'b'],
      'validation/loss': np.array([0.5, 2.0, 0.25, np.nan], np.float32),
      'validation/accuracy': np.array([0.75, 0.25, 1.0, np.nan], np.float32),
    }
    pd.testing.assert_frame_equal(pd.read_parquet(self.path), pd.DataFrame(expected))

  def test_resumed_run_has_the_same_bytes(self):
    whole = self._curves()
    for round_num in (1, 2, 3):
      self._evaluate(whole, round_num, loss=[1 / round_num, 0.3])
    whole.on_run_end()
    with open(self.path, 'rb') as file:
      expected = file.read()
    killed = self._curves()
    self._evaluate(killed, 1, loss=[1.0, 0.3])
    arrays = killed.to_arrays()
    self._evaluate(killed, 2, loss=[9.0, 9.0])  # After its last checkpoint.
    resumed = self._curves()
    resumed.load_arrays(arrays)
    for round_num in (2, 3):
      self._evaluate(resumed, round_num, loss=[1 / round_num, 0.3])
    resumed.on_run_end()
    with open(self.path, 'rb') as file:
      self.assertEqual(file.read(), expected)

  def test_clients_without_a_score_have_no_curve(self):
    curves = self._curves()
    self._evaluate(curves, 1, 'abc', loss=[1.0, np.nan, 2.0])
    curves.on_run_end()
    self.assertEqual(pd.read_parquet(self.path)['client_id'].tolist(), ['a', 'c'])

  def test_nothing_is_written_without_scores(self):
    curves = self._curves()
    self._evaluate(curves, 1, loss=[np.nan, np.nan])
    curves.on_client_metrics(mock.Mock(round_num=2), ['a', 'b'], {'local_test': {}})
    self.assertEmpty(curves.to_arrays())
    curves.on_run_end()
    self.assertEmpty(os.listdir(self.folder))

  def test_folder_that_was_deleted_is_not_made_again(self):
    curves = self._curves()
    self._evaluate(curves, 1, loss=[1.0, 2.0])
    os.rmdir(self.folder)
    curves.on_run_end()
    self.assertFalse(os.path.exists(self.folder))

  def test_file_that_cannot_be_written_is_a_warning(self):
    curves = self._curves()
    self._evaluate(curves, 1, loss=[1.0, 2.0])
    with (
      mock.patch.object(files, 'write_atomically', side_effect=OSError('no space')),
      self.assertLogs(level='WARNING') as logs,
    ):
      curves.on_run_end()
    self.assertIn('client_curves.parquet cannot be written: no space', logs.output[0])

  def test_of_more_clients_some_at_even_distances_are_kept(self):
    curves = self._curves()
    with mock.patch.object(client_curves, 'MOST_CLIENTS', 3):
      self._evaluate(curves, 1, 'abcdefg', loss=np.arange(7))
    curves.on_run_end()
    table = pd.read_parquet(self.path)
    self.assertEqual(table['client_id'].tolist(), ['a', 'c', 'e'])
    self.assertEqual(table['validation/loss'].tolist(), [0, 2, 4])

  def test_of_more_evaluations_every_second_and_the_last_is_kept(self):
    kept = {}
    with mock.patch.object(client_curves, 'MOST_EVALUATIONS', 4):
      curves = self._curves()
      for round_num in range(1, 11):
        self._evaluate(curves, round_num, loss=[round_num, 0])
        arrays = curves.to_arrays()
        curves.on_run_end()
        curves = self._curves()  # As a run that is stopped after each round.
        curves.load_arrays(arrays)
        table = pd.read_parquet(self.path)
        kept[round_num] = table['round_num'][::2].tolist()
        self.assertEqual(table['validation/loss'][::2].tolist(), kept[round_num])
    self.assertEqual(kept[4], [1, 2, 3, 4])
    self.assertEqual(kept[5], [1, 3, 5])
    self.assertEqual(kept[6], [1, 3, 5, 6])
    self.assertEqual(kept[8], [1, 3, 5, 7, 8])
    self.assertEqual(kept[9], [1, 5, 9])
    self.assertEqual(kept[10], [1, 5, 9, 10])


if __name__ == '__main__':
  absltest.main()
