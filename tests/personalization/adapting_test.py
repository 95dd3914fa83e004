"""Tests of the loop over chunks of clients, with work that adapts nothing."""

import glob
import os
import types
from unittest import mock

import numpy as np
from absl.testing import absltest

from tff_lg import config as config_lib
from tff_lg.personalization import adaptation_work, adapting

# Validation accuracy of clients 10 to 14 by epoch 0, 2 and 4; 12 has no validation data.
_CURVES = np.array([[1, 2, 3], [3, 2, 1], [0, 0, 0], [1, 5, 5], [1, 4, 1]], np.float32) / 10
_NUM_VALIDATION = np.array([1, 1, 0, 1, 1])
_CLIENTS = np.arange(10, 15)

_CONFIG = {
  'adaptation': ('fine_tune',),
  'epochs': 4,
  'evaluate_every_epochs': 2,
  'learning_rate': (0.1,),
  'selection_metric': 'accuracy',
  'clients_per_chunk': 2,
}


class _Work:
  """Knows the curves; a model's test accuracy is its client, plus a tenth of its epoch."""

  calls = []

  def __init__(self, name, config, source, evaluator):
    del name, source, evaluator
    self._config = config
    self.settings = config.settings('fine_tune')
    self.epochs = np.arange(0, config.epochs + 1, config.evaluate_every_epochs)

  def try_all(self, clients):
    self.calls.append(('tried', clients.tolist()))
    rows = clients - 10
    chosen = (_NUM_VALIDATION[rows] > 0) & (self._config.choose == 'client')
    num_settings = len(self._config.learning_rate)
    tried = {
      'validation/accuracy': np.stack([_CURVES[rows]] * num_settings, axis=1),
      'num_validation': _NUM_VALIDATION[rows],
      # The first setting is not finite for client 11.
      'is_finite': (clients[:, np.newaxis] != 11) | (np.arange(num_settings) > 0),
      'is_chosen': chosen,
    }
    if chosen.any():
      accuracy = clients + 0.2 * _CURVES[rows].argmax(axis=1)
      tried['local_test/accuracy'] = np.where(chosen, accuracy, np.nan)
    return tried

  def train_to(self, clients, setting, epoch):
    self.calls.append((setting, epoch, clients.tolist()))
    return {
      'is_finite': clients != 12,
      'local_test/accuracy': clients + 0.1 * epoch,
    }


class AdaptClientsTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path + '/parts'
    self.enter_context(mock.patch.object(adaptation_work, 'AdaptationWork', _Work))
    self.enter_context(mock.patch.object(adaptation_work, 'ModelEvaluator'))
    self.calls = self.enter_context(mock.patch.object(_Work, 'calls', []))

  def _adapt(self, **changes):
    model = types.SimpleNamespace(initial_weights=(np.zeros(4),))
    source = types.SimpleNamespace(model=model, is_held_out=np.zeros(15, bool))
    config = config_lib.AdaptConfig(**{**_CONFIG, **changes})
    return adapting.adapt_clients(config, source, _CLIENTS, self.folder)['fine_tune']

  def test_each_client_by_its_own_data(self):
    adapted = self._adapt()
    # Mean of those with data: 1.5, 3.25, 2.5; the earliest of equals.
    np.testing.assert_array_equal(adapted.epoch, [4, 0, 2, 2, 2])
    np.testing.assert_array_equal(adapted.setting, [0] * 5)
    np.testing.assert_array_equal(adapted.is_finite, [True, False, False, True, True])
    np.testing.assert_allclose(
      adapted.values['validation/accuracy'], [0.3, 0.3, np.nan, 0.5, 0.4], rtol=1e-6
    )
    np.testing.assert_allclose(
      adapted.values['local_test/accuracy'], [10.4, 11.0, 12.2, 13.2, 14.2]
    )
    self.assertEqual(
      self.calls, [('tried', [10, 11]), ('tried', [12, 13]), ('tried', [14]), (0, 2, [12])]
    )

  def test_client_that_another_setting_fits_is_finite(self):
    adapted = self._adapt(learning_rate=(0.1, 0.2))
    np.testing.assert_array_equal(adapted.setting, [0] * 5)
    np.testing.assert_array_equal(adapted.is_finite, [True, True, False, True, True])

  def test_all_by_all_data(self):
    adapted = self._adapt(choose='global')
    np.testing.assert_array_equal(adapted.epoch, [2] * 5)
    np.testing.assert_allclose(
      adapted.values['validation/accuracy'], [0.2, 0.2, np.nan, 0.5, 0.4], rtol=1e-6
    )
    np.testing.assert_allclose(adapted.values['local_test/accuracy'], _CLIENTS + 0.2)
    self.assertEqual(self.calls[3:], [(0, 2, [10, 11]), (0, 2, [12, 13]), (0, 2, [14])])

  def test_what_is_done_is_not_done_again(self):
    whole = self._adapt()
    paths = sorted(glob.glob(f'{self.folder}/*'))
    self.assertLen(paths, 4)
    contents = [_read(path) for path in paths]
    self.calls.clear()
    os.unlink(f'{self.folder}/fine_tune_tried_000002.npz')
    again = self._adapt()
    self.assertEqual(self.calls, [('tried', [12, 13])])
    self.assertEqual([_read(path) for path in paths], contents)
    np.testing.assert_array_equal(again.epoch, whole.epoch)
    for name, values in whole.values.items():
      np.testing.assert_array_equal(again.values[name], values)

  def test_damaged_part_is_named(self):
    self._adapt()
    path = f'{self.folder}/fine_tune_tried_000000.npz'
    with open(path, 'wb') as file:
      file.write(b'PK')
    with self.assertRaisesRegex(ValueError, f'{path} is damaged .*: delete it'):
      self._adapt()

  def test_chunks_have_a_bounded_size(self):
    with mock.patch.object(adapting, '_BYTES_IN_A_CHUNK', 100):  # three times 32 bytes
      self._adapt(clients_per_chunk=None)
    self.assertEqual(self.calls[0], ('tried', [10, 11, 12]))


class SampleClientsTest(absltest.TestCase):
  def _sample(self, num_clients, held_out=(), unscored=(), **fields):
    config = config_lib.AdaptConfig(**fields)
    is_held_out = np.isin(np.arange(num_clients), held_out)
    is_evaluated = np.isin(np.arange(num_clients), unscored, invert=True)
    return adapting.sample_clients(config, is_held_out, is_evaluated).tolist()

  def test_all_in_order(self):
    self.assertEqual(self._sample(4), [0, 1, 2, 3])
    self.assertEqual(self._sample(4, max_clients=9), [0, 1, 2, 3])

  def test_those_that_the_run_evaluated(self):
    self.assertEqual(self._sample(5, unscored=(0, 3)), [1, 2, 4])
    self.assertEqual(self._sample(5, unscored=(0, 3), max_clients=3), [1, 2, 4])

  def test_held_out_clients_alone_where_validation_clients_choose(self):
    self.assertEqual(self._sample(4, (1, 3)), [0, 1, 2, 3])
    chosen = {'held_out': (1, 3), 'choose': 'validation_clients'}
    self.assertEqual(self._sample(4, **chosen), [1, 3])
    self.assertIn(self._sample(4, **chosen, max_clients=1), ([1], [3]))

  def test_seeded_sample(self):
    sample = self._sample(50, max_clients=7)
    self.assertEqual(sample, sorted(set(sample)))
    self.assertLen(sample, 7)
    self.assertEqual(sample, self._sample(50, max_clients=7))
    self.assertNotEqual(sample, self._sample(50, max_clients=7, seed=1))


def _read(path):
  with open(path, 'rb') as file:
    return file.read()


if __name__ == '__main__':
  absltest.main()
