"""Tests of settings of finished runs that are refused; what is loaded is tested with the run."""

import dataclasses
import json
import pathlib

from absl.testing import absltest, parameterized

from tff_lg import config as config_lib
from tff_lg.run_folder import source_run


class LoadConfigTest(parameterized.TestCase):
  def test_options_that_the_run_is_too_old_to_know_have_their_defaults(self):
    config = config_lib.resolve(config_lib.TrainConfig(task='text', method='fedavg', min_lines=9))
    settings = json.loads(json.dumps(dataclasses.asdict(config)))
    for name in ('test_fraction', 'dropout_rate', 'client_weight_decay'):
      del settings[name]
    folder = pathlib.Path(self.create_tempdir().full_path)
    folder.joinpath('hparams.json').write_text(json.dumps(settings))
    folder.joinpath('summary.json').write_text('{}')
    self.assertEqual(source_run.load_config(str(folder)), config)

  @parameterized.parameters(
    ({'method': 'toy'}, 'is a run of --method=toy, expected one of .*: --import names the module'),
    (
      {'method': 'fedavg', 'task': 'toy'},
      'is a run of --task=toy, expected one of .*: --import names',
    ),
    ({'method': 'fedavg', 'toy_strength': 1}, 'hparams.json has toy_strength, expected'),
    ({'method': 'local_only'}, 'is a run of --method=local_only, expected one with a federated'),
  )
  def test_refuses(self, settings, sentence):
    folder = pathlib.Path(self.create_tempdir().full_path)
    folder.joinpath('hparams.json').write_text(json.dumps({'task': 'digits', **settings}))
    folder.joinpath('summary.json').write_text('{}')
    with self.assertRaisesRegex(ValueError, f'^--from_run={folder}:? {sentence}'):
      source_run.load_config(str(folder))


if __name__ == '__main__':
  absltest.main()
