"""Tests of who is removed before training again; what follows is in adaptation_following_test."""

import dataclasses
from unittest import mock

import numpy as np
import pandas as pd
from absl.testing import absltest

from tff_lg import config as config_lib
from tff_lg.personalization import retraining
from tff_lg.simulation import experiment

_CONFIG = config_lib.TrainConfig(
  num_clients=4, clients_per_round=3, aggregator='krum', held_out_clients=1, method='fedavg'
)


class RetrainWithoutTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.clients = pd.DataFrame({'client_id': ['a', 'b', 'c', 'd']})
    self.run = self.enter_context(mock.patch.object(experiment, 'run_experiment'))

  def _retrain(self, *own, **changes):
    source = mock.Mock(
      clients=self.clients,
      is_held_out=np.array([False, False, False, True]),
      config=config_lib.resolve(dataclasses.replace(_CONFIG, **changes)),
    )
    table = self.clients.assign(
      **{'best/validation/accuracy': 0.5, 'local_only/validation/accuracy': own}
    )
    with self.assertLogs(level='INFO') as logs:
      result = retraining.retrain_without('best', source, table, 'again')
    return result, logs.output[-1]

  def test_nobody_or_everybody(self):
    # Equal but for rounding or unknown is not worse, and a held-out client cannot be removed.
    for own, who in ((0.5000001, np.nan, 0.4, 0.9), 'no'), ((0.9, 0.9, 0.9, 0.1), 'every'):
      result, told = self._retrain(*own)
      self.assertIsNone(result)
      self.assertIn(f'--retrain_without=best: {who} client is worse off than alone', told)
    self.run.assert_not_called()

  def test_config(self):
    self.run.side_effect = ValueError('the data are gone.')
    result, told = self._retrain(0.9, 0.1, 0.1, 0.9, aggregator='mean')
    self.assertIsNone(result)
    self.assertIn('nothing is trained again: the data are gone.', told)
    (config, run_dir), _ = self.run.call_args
    self.assertEqual((config.held_out_ids, config.held_out_clients), (('a', 'd'), None))
    self.assertEqual((config.clients_per_round, config.baselines, run_dir), (2, (), 'again'))

  def test_too_few_for_the_aggregator(self):
    result, told = self._retrain(0.9, 0.1, 0.1, 0.9)
    self.assertIsNone(result)
    self.assertIn('nothing is trained again: --', told)
    self.run.assert_not_called()


if __name__ == '__main__':
  absltest.main()
