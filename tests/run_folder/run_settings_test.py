"""Tests of what a run folder was made with."""

import dataclasses
import json
import os

import pandas as pd
from absl import flags
from absl.testing import absltest

from tff_lg import config as config_lib
from tff_lg import files
from tff_lg.run_folder import run_files, run_settings

_CONFIG = config_lib.resolve(
  config_lib.TrainConfig(task='mnist', data_dir='/data/my mnist', global_layers=('a', 'b'))
)


class FolderTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.root = self.create_tempdir()
    self.run_dir = os.path.join(self.root.full_path, 'runs', 'one')

  def _read(self, name):
    with open(os.path.join(self.run_dir, name), encoding='utf-8') as file:
      return file.read()

  def test_check_writes_nothing(self):
    self.assertFalse(run_settings.check(self.run_dir, _CONFIG))
    self.assertFalse(os.path.exists(self.run_dir))

  def test_claimed_folder_is_this_configs(self):
    run_settings.claim(self.run_dir, _CONFIG)
    self.assertTrue(run_settings.check(self.run_dir, _CONFIG))
    run_settings.claim(self.run_dir, _CONFIG)
    hparams = json.loads(self._read('hparams.json'))
    self.assertEqual(hparams['global_layers'], ['a', 'b'])
    self.assertIsNone(hparams['dirichlet_alpha'])
    self.assertCountEqual(hparams, [f.name for f in dataclasses.fields(config_lib.TrainConfig)])

  def test_flags_read_as_a_flagfile(self):
    run_settings.claim(self.run_dir, _CONFIG)
    values = flags.FlagValues()
    for name, value in dataclasses.asdict(_CONFIG).items():
      define = {bool: flags.DEFINE_bool, tuple: flags.DEFINE_list}.get(
        type(value), flags.DEFINE_string
      )
      define(name, None, '', flag_values=values)
    values(['program', f'--flagfile={self.run_dir}/flags.txt'])
    self.assertEqual(values.data_dir, '/data/my mnist')
    self.assertEqual((values.global_layers, values.baselines), (['a', 'b'], ['local_only']))
    self.assertIs(values.keep_client_optimizer, False)
    self.assertEqual(float(values.client_learning_rate), _CONFIG.client_learning_rate)
    self.assertIsNone(values.dirichlet_alpha)

  def test_other_settings_are_refused_and_named(self):
    run_settings.claim(self.run_dir, _CONFIG)
    other = dataclasses.replace(_CONFIG, seed=1, baselines=())
    with self.assertRaisesRegex(
      ValueError, r"baselines was \['local_only'\], now \[\], seed was 0, now 1\): choose another"
    ):
      run_settings.claim(self.run_dir, other)
    self.assertTrue(run_settings.check(self.run_dir, _CONFIG))

  def test_cohort_that_the_data_decide_is_not_compared(self):
    natural = config_lib.resolve(config_lib.TrainConfig(partition='natural'))
    run_settings.claim(self.run_dir, dataclasses.replace(natural, clients_per_round=7))
    self.assertTrue(run_settings.check(self.run_dir, natural))

  def test_options_that_an_older_run_did_not_have_stand_for_their_defaults(self):
    run_settings.claim(self.run_dir, _CONFIG)
    hparams = json.loads(self._read('hparams.json'))
    # The first was unknown, the second known, but not as an option of this optimiser.
    del hparams['partition_seed']
    self.assertEqual(hparams['client_weight_decay'], 0.0)
    hparams['client_weight_decay'] = None
    with open(os.path.join(self.run_dir, 'hparams.json'), 'w', encoding='utf-8') as file:
      json.dump(hparams, file)
    self.assertTrue(run_settings.check(self.run_dir, _CONFIG))
    other = dataclasses.replace(_CONFIG, client_weight_decay=0.5)
    with self.assertRaisesRegex(ValueError, 'client_weight_decay was 0.0, now 0.5'):
      run_settings.check(self.run_dir, other)

  def test_folder_of_something_else_is_refused(self):
    self.root.create_file('runs/one/thesis.tex')
    with self.assertRaisesRegex(ValueError, 'is not empty and holds no run'):
      run_settings.check(self.run_dir, _CONFIG)

  def test_run_killed_as_it_began_resumes(self):
    self.root.create_file('runs/one/hparams.json.tmp', '{"half')
    run_settings.claim(self.run_dir, _CONFIG)
    os.unlink(os.path.join(self.run_dir, 'flags.txt'))
    run_settings.claim(self.run_dir, _CONFIG)
    self.assertIn('--task=mnist\n', self._read('flags.txt'))

  def test_settings_of_settings_are_compared_one_by_one(self):
    hparams = {'epochs': 2, 'source': {'rounds': 3, 'layers': ('a',)}}
    run_settings.claim_hparams(self.run_dir, hparams)
    self.assertTrue(run_settings.check_hparams(self.run_dir, hparams))
    self.assertEqual(self._read('flags.txt'), '--epochs=2\n')
    hparams['source']['rounds'] = 4
    with self.assertRaisesRegex(ValueError, r'\(source/rounds was 3, now 4\)'):
      run_settings.check_hparams(self.run_dir, hparams)

  def test_few_of_many_differences_are_listed(self):
    run_settings.claim_hparams(self.run_dir, {'a': None, **dict.fromkeys('bcdefg', 1)})
    # First those that are not off.
    with self.assertRaisesRegex(ValueError, r'\(b was 1, now 2, .*, f was 1, now 2, and 2 more\)'):
      run_settings.check_hparams(self.run_dir, dict.fromkeys('abcdefg', 2))

  def test_options_that_a_run_is_too_old_to_know(self):
    old = json.loads(json.dumps(dataclasses.asdict(_CONFIG)))
    for name in ('reproducible_gpus', 'batch_size'):
      del old[name]
    self.assertEqual(run_settings.with_new_options(old), run_settings.of_trial(old, _CONFIG))
    run_settings.claim_hparams(self.run_dir, old)
    self.assertTrue(run_settings.check(self.run_dir, _CONFIG))
    other = dataclasses.replace(_CONFIG, reproducible_gpus=False, batch_size=7)
    with self.assertRaisesRegex(
      ValueError, r'\(batch_size was \d+, now 7, reproducible_gpus was True, now False\)'
    ):
      run_settings.check(self.run_dir, other)

  def test_option_that_had_no_default_when_the_run_began(self):
    old = json.loads(json.dumps(dataclasses.asdict(_CONFIG))) | {'score_on_others': None}
    run_settings.claim_hparams(self.run_dir, old)
    self.assertTrue(run_settings.check(self.run_dir, _CONFIG))

  def test_options_that_an_adaptation_and_its_source_are_too_old_to_know(self):
    config = config_lib.AdaptConfig(from_run='a', epochs=3)
    now = {**dataclasses.asdict(config), 'source': dataclasses.asdict(_CONFIG)}
    old = json.loads(json.dumps(now))
    del old['choose'], old['source']['reproducible_gpus']
    run_settings.claim_hparams(self.run_dir, old)
    make_config = config_lib.AdaptConfig
    self.assertTrue(run_settings.check_hparams(self.run_dir, now, make_config))
    now['choose'] = 'global'
    with self.assertRaisesRegex(ValueError, r'\(choose was client, now global\)'):
      run_settings.check_hparams(self.run_dir, now, make_config)
    self.assertEqual(
      run_settings.of_trial({'from_run': 'a', 'epochs': 3}, config),
      json.loads(json.dumps(dataclasses.asdict(config))),
    )

  def test_run_with_more_rounds_has_not_ended(self):
    run_settings.claim(self.run_dir, _CONFIG)
    run_files.write_tables(self.run_dir, {}, pd.DataFrame({'client_id': ['a']}))
    more = dataclasses.replace(_CONFIG, rounds=_CONFIG.rounds + 1)
    self.assertTrue(run_settings.check(self.run_dir, more))
    self.assertTrue(run_settings.is_complete(self.run_dir))
    run_settings.claim(self.run_dir, more)
    self.assertFalse(run_settings.is_complete(self.run_dir))
    self.assertEqual(run_settings.load_hparams(self.run_dir)['rounds'], more.rounds)
    self.assertIn(f'--rounds={more.rounds}\n', self._read('flags.txt'))
    with self.assertRaisesRegex(ValueError, f'rounds was {more.rounds}, now {_CONFIG.rounds}'):
      run_settings.claim(self.run_dir, _CONFIG)
    # What belongs to other settings is still named alone.
    with self.assertRaisesRegex(ValueError, r'other settings \(seed was 0, now 1\)'):
      run_settings.claim(self.run_dir, dataclasses.replace(more, rounds=more.rounds + 1, seed=1))

  def test_finished_baseline_keeps_its_rates(self):
    lower = dataclasses.replace(_CONFIG, client_learning_rate=0.01)
    run_settings.claim(self.run_dir, _CONFIG)
    self.assertEmpty(run_settings.finished_rates(self.run_dir))
    run_files.write_tables(self.run_dir, {}, pd.DataFrame({'client_id': ['a']}))
    rates = run_settings.finished_rates(self.run_dir)
    self.assertEqual(dataclasses.replace(lower, **rates), _CONFIG)

  def test_damaged_settings_are_named_and_made_again_from_the_flag_file(self):
    path = os.path.join(self.run_dir, 'hparams.json')
    run_settings.claim(self.run_dir, _CONFIG)
    expected = self._read('hparams.json')
    for content in ('', '{"task": ', '[1]', '\x00\x00'):
      files.write_atomically(path, content)
      with self.assertRaisesRegex(ValueError, f'{path} is damaged .*: put back a copy'):
        run_settings.load_hparams(self.run_dir)
      with self.assertLogs(level='WARNING') as logs:
        run_settings.claim(self.run_dir, _CONFIG)
      self.assertIn(f'{path} is damaged and written again', logs.output[0])
      self.assertEqual(self._read('hparams.json'), expected)
      # Other settings are no help.
      files.write_atomically(path, content)
      with self.assertRaisesRegex(ValueError, f'{path} is damaged'):
        run_settings.claim(self.run_dir, dataclasses.replace(_CONFIG, seed=1))
      self.assertEqual(self._read('hparams.json'), content)
    os.unlink(os.path.join(self.run_dir, 'flags.txt'))
    with self.assertRaisesRegex(ValueError, f'{path} is damaged'):
      run_settings.claim(self.run_dir, _CONFIG)

  def test_damaged_settings_that_no_flag_file_can_have(self):
    hparams = {'epochs': 2, 'source': {'rounds': 3}}
    run_settings.claim_hparams(self.run_dir, hparams)
    files.write_atomically(os.path.join(self.run_dir, 'hparams.json'), '{')
    with self.assertRaisesRegex(ValueError, 'hparams.json is damaged'):
      run_settings.claim_hparams(self.run_dir, hparams)

  def test_changed_settings_of_a_finished_run_are_noticed(self):
    run_settings.claim(self.run_dir, _CONFIG)
    run_files.write_tables(self.run_dir, {}, pd.DataFrame({'client_id': ['a']}))
    text = self._read('hparams.json')
    path = os.path.join(self.run_dir, 'hparams.json')
    files.write_atomically(path, text.replace('"seed": 0', '"seed": 7'))
    with self.assertRaisesRegex(ValueError, f'{path} is damaged: its CRC-32'):
      run_settings.load_hparams(self.run_dir)
    run_settings.claim(self.run_dir, _CONFIG)
    self.assertEqual(run_settings.load_hparams(self.run_dir)['seed'], 0)


if __name__ == '__main__':
  absltest.main()
