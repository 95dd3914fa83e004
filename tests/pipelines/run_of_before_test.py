"""Tests that settings written before options had entries of their own still open."""

import dataclasses
import pathlib
import shutil

from absl.testing import absltest

from pipelines import config_flags
from tff_lg import config as config_lib
from tff_lg.run_folder import run_settings

# Of a run of three methods; the folder has what such a run wrote about its settings.
_FOLDER = pathlib.Path(__file__).parent / 'run_of_before'
_ARGUMENTS = (
  *('--method=lg_fedavg', '--baselines=local_only,mtl,fedprox', '--num_clients=8', '--rounds=3'),
  *('--global_layers=output', '--auxiliary=supervised', '--mtl_weight_decay=0.5'),
  '--warm_start_rounds=2',
)


class RunOfBeforeTest(absltest.TestCase):
  def test_flag_file(self):
    found = config_flags.parse([f'--flagfile={_FOLDER}/flags.txt'])
    self.assertEqual(found, config_flags.parse(_ARGUMENTS))
    self.assertEqual((found.global_layers, found.mtl_strength), (('output',), 0.1))

  def test_run_folder_is_that_of_the_same_command(self):
    folder = self.create_tempdir().full_path
    shutil.copy(_FOLDER / 'hparams.json', folder)
    config = config_flags.parse(_ARGUMENTS)
    self.assertTrue(run_settings.check(folder, config))
    with self.assertRaisesRegex(ValueError, 'mtl_weight_decay was 0.5, now 1.0'):
      run_settings.check(folder, dataclasses.replace(config, mtl_weight_decay=1.0))

  def test_settings_are_those_of_a_config(self):
    found = run_settings.to_config(run_settings.load_hparams(str(_FOLDER)))
    self.assertEqual(config_lib.resolve(found), config_flags.parse(_ARGUMENTS))


if __name__ == '__main__':
  absltest.main()
