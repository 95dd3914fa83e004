"""Tests of runs whose rounds cannot be those of a warm start."""

import dataclasses
import json
import pathlib

from absl.testing import absltest, parameterized

from tff_lg import config as config_lib
from tff_lg.run_folder import warm_start

_CONFIG = config_lib.TrainConfig(
  task='digits', warm_start_rounds=6, clients_per_round=2, client_learning_rate=0.1
)
_FEDAVG = {'method': 'fedavg', 'warm_start_rounds': 0, 'rounds': 4}


class CheckTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.source = pathlib.Path(self.create_tempdir().full_path)
    self.run_dir = self.create_tempdir().full_path

  def _write_source(self, *, newest=4, **changes):
    config = config_lib.resolve(dataclasses.replace(_CONFIG, **{**_FEDAVG, **changes}))
    (self.source / 'hparams.json').write_text(json.dumps(dataclasses.asdict(config)))
    (self.source / 'summary.json').write_text('{}')
    if newest:
      (self.source / 'checkpoints').mkdir()
      (self.source / f'checkpoints/round_{newest:08d}.npz').touch()

  def _check(self, **changes):
    changes = {'warm_start_from': str(self.source), **changes}
    config = config_lib.resolve(dataclasses.replace(_CONFIG, **changes))
    source = warm_start.find_source(config.warm_start_from, self.run_dir)
    config_lib.check_warm_start(config, source)

  @parameterized.parameters(
    {},
    {'method': 'apfl'},
    {'rounds': 50, 'checkpoint_every': 7, 'false_discovery_rate': 0.2},
    {'baselines': ('fedavg',), 'early_stopping_rounds': 5},
    {'baselines': (), 'warm_start_rounds': 4},
  )
  def test_takes_what_changes_no_round_of_fedavg(self, **changes):
    self._write_source()
    self._check(**changes)

  def test_takes_the_rate_that_the_run_has_tuned(self):
    self._write_source(tune='validation', client_learning_rate=0.5)
    tuned = {'learning_rate': 0.1, 'tried': [[0.1, 0.9]]}
    (self.source / 'tuning.json').write_text(json.dumps(tuned))
    self._check()
    with self.assertRaisesRegex(ValueError, r'client_learning_rate is 0\.1 there, 0\.2 here'):
      self._check(client_learning_rate=0.2)

  def test_a_run_with_checkpoints_of_its_own_needs_no_other(self):
    pathlib.Path(self.run_dir, 'checkpoints').mkdir()
    pathlib.Path(self.run_dir, 'checkpoints/round_00000002.npz').touch()
    self._check(warm_start_from='/nowhere')

  @parameterized.parameters(
    ({}, {'seed': 1}, 'has other settings (seed is 0 there, 1 here), expected those of this run'),
    (
      {'early_stopping_rounds': 5},
      {'early_stopping_rounds': 5},
      'has other settings (early_stopping_rounds is 5 there, None here)',
    ),
    ({'batch_size': 5}, {}, 'has other settings (batch_size is 5 there, 10 here)'),
    ({'evaluate_every': 5}, {}, 'has other settings (evaluate_every is 5 there, 10 here)'),
    (
      {'rounds_until': 'validation/accuracy>=0.9'},
      {},
      'has other settings (rounds_until is validation/accuracy>=0.9 there, None here)',
    ),
    (
      {'client_schedule': 'cosine'},
      {'client_schedule': 'cosine'},
      'has other settings (rounds is 4 there, 6 here)',
    ),
    ({'method': 'lg_fedavg'}, {}, 'is a run of --method=lg_fedavg, expected fedavg.'),
    ({'method': 'local_only'}, {}, 'is a run of --method=local_only, expected fedavg.'),
    ({'newest': 8}, {}, 'has trained 8 rounds, expected from 1 to --warm_start_rounds, 6.'),
    ({'newest': None}, {}, 'has no checkpoint, expected from 1 to --warm_start_rounds, 6.'),
  )
  def test_refuses(self, of_source, changes, sentence):
    self._write_source(**of_source)
    with self.assertRaises(ValueError) as caught:
      self._check(**changes)
    self.assertStartsWith(str(caught.exception), f'--warm_start_from={self.source} {sentence}')

  def test_refuses_rounds_with_several_rates(self):
    self._write_source()
    changes = [{'after_round': 2, 'client_learning_rate': [0.5, 0.1]}]
    (self.source / 'changes.json').write_text(json.dumps(changes))
    sentence = r'has changed its settings \(after round 2 client_learning_rate from 0\.5 to 0\.1\)'
    with self.assertRaisesRegex(ValueError, f'^--warm_start_from={self.source} {sentence}'):
      self._check()
    changes = [{'after_round': 2, 'rounds': [2, 4]}]
    (self.source / 'changes.json').write_text(json.dumps(changes))
    self._check()

  def test_refuses_a_folder_without_a_run(self):
    with self.assertRaisesRegex(ValueError, f'^--warm_start_from={self.source} holds no run'):
      self._check()


if __name__ == '__main__':
  absltest.main()
