"""Tests of the rounds that the parts of an advice train, and of those that they have in common."""

import dataclasses
import os
from unittest import mock

from absl.testing import absltest, parameterized

from tests import reading
from tests.simulation import running
from tff_lg import config as config_lib
from tff_lg.experiments import advise, advise_config
from tff_lg.training import releases

_CONFIG = config_lib.TrainConfig(
  task='digits',
  num_clients=5,
  clients_per_round=2,
  warm_start_rounds=4,
  rounds=2,
  evaluate_every=2,
  checkpoint_every=6,
  own_models=('linear',),
)
_OPTIONS = advise_config.AdviseOptions(
  methods=('fedavg', 'lg_fedavg'), local_layer_shares=(0.25, 0.5), adaptation=()
)


def setUpModule():
  running.set_up_module()


class AdviseRoundsTest(parameterized.TestCase):
  def _advise(self, **changes):
    """Returns the rounds trained by part, and the folder."""
    folder, release, trained = self.create_tempdir().full_path, releases.MetricsReleaser.release, {}

    def note(releaser, round_num, *rest):
      part = os.path.relpath(os.path.dirname(releaser._folder), f'{folder}/advice/parts')
      trained.setdefault(part, []).append(round_num)
      release(releaser, round_num, *rest)

    config = dataclasses.replace(_CONFIG, baselines=(advise_config.OWN,), **changes)
    with mock.patch.object(releases.MetricsReleaser, 'release', note):
      base = advise_config.base_config(config, _OPTIONS)
      advise.run_advise(base, _OPTIONS, f'{folder}/advice')
    return trained, f'{folder}/advice/parts'

  def test_the_warm_start_is_trained_once_to_the_same_bits(self):
    trained, parts = self._advise()
    splits = ('lg_fedavg_0.25', 'lg_fedavg_0.5')
    everything = [1, 2, 3, 4, 5, 6]
    self.assertEqual(trained, {'fedavg': everything, **dict.fromkeys(splits, [5, 6])})
    for name in splits:
      alone = self.create_tempdir().full_path + '/run'
      changes = {'method': 'lg_fedavg', 'local_layer_share': float(name[10:]), 'baselines': ()}
      running.run(_CONFIG, alone, own_models=None, **changes)
      for file in ('metrics.csv', 'communication.csv', 'clients.parquet'):
        self.assertEqual(reading.read(parts, name, file), reading.read(alone, file), file)

  def test_parts_without_the_aggregator_share_theirs(self):
    trained, _ = self._advise(aggregator='median')
    self.assertEqual(trained['fedavg_plain'], [1, 2, 3, 4, 5, 6])
    self.assertEqual(trained['lg_fedavg_0.5_plain'], [5, 6])
    self.assertEqual(trained['lg_fedavg_0.5'], [5, 6])


if __name__ == '__main__':
  absltest.main()
