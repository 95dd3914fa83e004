"""Tests of the files of a run folder."""

import dataclasses
import json
import math
import os

import numpy as np
import pandas as pd
from absl import flags
from absl.testing import absltest

from tests.learning import testing
from tff_lg import config as config_lib
from tff_lg import data, files
from tff_lg.run_folder import run_files

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
    self.assertFalse(run_files.check(self.run_dir, _CONFIG))
    self.assertFalse(os.path.exists(self.run_dir))

  def test_claimed_folder_is_this_configs(self):
    run_files.claim(self.run_dir, _CONFIG)
    self.assertTrue(run_files.check(self.run_dir, _CONFIG))
    run_files.claim(self.run_dir, _CONFIG)
    hparams = json.loads(self._read('hparams.json'))
    self.assertEqual(hparams['global_layers'], ['a', 'b'])
    self.assertIsNone(hparams['dirichlet_alpha'])
    self.assertCountEqual(hparams, [f.name for f in dataclasses.fields(config_lib.TrainConfig)])

  def test_flags_read_as_a_flagfile(self):
    run_files.claim(self.run_dir, _CONFIG)
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
    run_files.claim(self.run_dir, _CONFIG)
    other = dataclasses.replace(_CONFIG, seed=1, baselines=())
    with self.assertRaisesRegex(
      ValueError, r"baselines was \['local_only'\], now \[\], seed was 0, now 1\): choose another"
    ):
      run_files.claim(self.run_dir, other)
    self.assertTrue(run_files.check(self.run_dir, _CONFIG))

  def test_cohort_that_the_data_decide_is_not_compared(self):
    natural = config_lib.resolve(config_lib.TrainConfig(partition='natural'))
    run_files.claim(self.run_dir, dataclasses.replace(natural, clients_per_round=7))
    self.assertTrue(run_files.check(self.run_dir, natural))

  def test_folder_of_something_else_is_refused(self):
    self.root.create_file('runs/one/thesis.tex')
    with self.assertRaisesRegex(ValueError, 'is not empty and holds no run'):
      run_files.check(self.run_dir, _CONFIG)

  def test_run_killed_as_it_began_goes_on(self):
    self.root.create_file('runs/one/hparams.json.tmp', '{"half')
    run_files.claim(self.run_dir, _CONFIG)
    os.unlink(os.path.join(self.run_dir, 'flags.txt'))
    run_files.claim(self.run_dir, _CONFIG)
    self.assertIn('--task=mnist\n', self._read('flags.txt'))

  def test_settings_of_settings_are_compared_one_by_one(self):
    hparams = {'epochs': 2, 'source': {'rounds': 3, 'layers': ('a',)}}
    run_files.claim_hparams(self.run_dir, hparams)
    self.assertTrue(run_files.check_hparams(self.run_dir, hparams))
    self.assertEqual(self._read('flags.txt'), '--epochs=2\n')
    hparams['source']['rounds'] = 4
    with self.assertRaisesRegex(ValueError, r'\(source/rounds was 3, now 4\)'):
      run_files.check_hparams(self.run_dir, hparams)

  def test_run_with_more_rounds_has_not_ended(self):
    run_files.claim(self.run_dir, _CONFIG)
    run_files.write_tables(self.run_dir, {}, pd.DataFrame({'client_id': ['a']}))
    more = dataclasses.replace(_CONFIG, rounds=_CONFIG.rounds + 1)
    self.assertTrue(run_files.check(self.run_dir, more))
    self.assertTrue(run_files.is_complete(self.run_dir))
    run_files.claim(self.run_dir, more)
    self.assertFalse(run_files.is_complete(self.run_dir))
    self.assertEqual(run_files.load_hparams(self.run_dir)['rounds'], more.rounds)
    self.assertIn(f'--rounds={more.rounds}\n', self._read('flags.txt'))
    with self.assertRaisesRegex(ValueError, f'rounds was {more.rounds}, now {_CONFIG.rounds}'):
      run_files.claim(self.run_dir, _CONFIG)
    # What belongs to other settings is still named alone.
    with self.assertRaisesRegex(ValueError, r'other settings \(seed was 0, now 1\)'):
      run_files.claim(self.run_dir, dataclasses.replace(more, rounds=more.rounds + 1, seed=1))

  def test_finished_baseline_keeps_its_rates(self):
    lower = dataclasses.replace(_CONFIG, client_learning_rate=0.01)
    run_files.claim(self.run_dir, _CONFIG)
    self.assertEqual(run_files.with_finished_rates(self.run_dir, lower), lower)
    run_files.write_tables(self.run_dir, {}, pd.DataFrame({'client_id': ['a']}))
    self.assertEqual(run_files.with_finished_rates(self.run_dir, lower), _CONFIG)

  def test_damaged_settings_are_named_and_made_again_from_the_flag_file(self):
    path = os.path.join(self.run_dir, 'hparams.json')
    run_files.claim(self.run_dir, _CONFIG)
    expected = self._read('hparams.json')
    for content in ('', '{"task": ', '[1]', '\x00\x00'):
      files.write_atomically(path, content)
      with self.assertRaisesRegex(ValueError, f'{path} is damaged .*: put back a copy'):
        run_files.load_hparams(self.run_dir)
      with self.assertLogs(level='WARNING') as logs:
        run_files.claim(self.run_dir, _CONFIG)
      self.assertIn(f'{path} is damaged and written again', logs.output[0])
      self.assertEqual(self._read('hparams.json'), expected)
      # Other settings are no help.
      files.write_atomically(path, content)
      with self.assertRaisesRegex(ValueError, f'{path} is damaged'):
        run_files.claim(self.run_dir, dataclasses.replace(_CONFIG, seed=1))
      self.assertEqual(self._read('hparams.json'), content)
    os.unlink(os.path.join(self.run_dir, 'flags.txt'))
    with self.assertRaisesRegex(ValueError, f'{path} is damaged'):
      run_files.claim(self.run_dir, _CONFIG)

  def test_damaged_settings_that_no_flag_file_can_have(self):
    hparams = {'epochs': 2, 'source': {'rounds': 3}}
    run_files.claim_hparams(self.run_dir, hparams)
    files.write_atomically(os.path.join(self.run_dir, 'hparams.json'), '{')
    with self.assertRaisesRegex(ValueError, 'hparams.json is damaged'):
      run_files.claim_hparams(self.run_dir, hparams)

  def test_changed_settings_of_a_finished_run_are_noticed(self):
    run_files.claim(self.run_dir, _CONFIG)
    run_files.write_tables(self.run_dir, {}, pd.DataFrame({'client_id': ['a']}))
    text = self._read('hparams.json')
    path = os.path.join(self.run_dir, 'hparams.json')
    files.write_atomically(path, text.replace('"seed": 0', '"seed": 7'))
    with self.assertRaisesRegex(ValueError, f'{path} is damaged: its CRC-32'):
      run_files.load_hparams(self.run_dir)
    run_files.claim(self.run_dir, _CONFIG)
    self.assertEqual(run_files.load_hparams(self.run_dir)['seed'], 0)


class ContentTest(absltest.TestCase):
  def test_inputs(self):
    def examples(*labels):
      return data.Examples(np.zeros([len(labels), 4], np.float32), np.array(labels, np.int32))

    clients = (
      data.ClientExamples('-a', examples(0, 0, 2), examples(2), examples(1)),
      data.ClientExamples('b', examples(1), examples(), examples()),
    )
    run_dir = self.create_tempdir().full_path
    model = testing.classifier()
    federated_data = data.FederatedData(clients, examples(), 3, ('cat', '=1+1', 'emu'))
    run_files.write_inputs(run_dir, federated_data, model)
    with open(f'{run_dir}/label_counts.csv', encoding='utf-8') as file:
      self.assertEqual(file.read(), "client_id,cat,'=1+1,emu\n'-a,2,0,2\nb,0,1,0\n")
    with open(f'{run_dir}/model_split.txt', encoding='utf-8') as file:
      self.assertEqual(file.read(), model.describe_split() + '\n')

  def test_results(self):
    run_dir = self.create_tempdir().full_path
    self.assertFalse(run_files.is_complete(run_dir))
    clients = pd.DataFrame({'client_id': ['a', 'b'], 'local_test/accuracy': [0.5, np.nan]})
    timing = {'seconds': 9.0, 'rounds_seconds': 4.0, 'rounds_per_second': 2.5}
    summary = {'method': 'fedavg', 'local_test/accuracy/mean_over_clients': 0.5}
    run_files.write_results(run_dir, summary, clients, run_files.Seconds(9.0, 4.0), num_rounds=10)
    self.assertTrue(run_files.is_complete(run_dir))
    loaded, table = run_files.load_results(run_dir)
    self.assertEqual(loaded, summary)
    pd.testing.assert_frame_equal(table, clients)
    with open(f'{run_dir}/timing.json', encoding='utf-8') as file:
      self.assertEqual(json.load(file), timing)
    for is_known in (True, False):
      for name in ('clients.parquet', 'summary.json'):
        os.truncate(f'{run_dir}/{name}', 9)
        with self.assertRaisesRegex(ValueError, f'{run_dir}/{name} is damaged'):
          run_files.load_results(run_dir)
        run_files.write_tables(run_dir, summary, clients)
        if not is_known:
          os.unlink(f'{run_dir}/checksums.json')

  def test_metric_that_is_not_known(self):
    run_dir = self.create_tempdir().full_path
    clients = pd.DataFrame({'client_id': ['=cmd|x', 'b']})
    run_files.write_tables(run_dir, {'a': math.nan, 'b': math.inf, 'c': 'NaN'}, clients)
    with open(f'{run_dir}/summary.json', encoding='utf-8') as file:
      self.assertEqual(file.read(), '{\n  "a": null,\n  "b": 1e999,\n  "c": "NaN"\n}\n')
    loaded, table = run_files.load_results(run_dir)
    np.testing.assert_equal(loaded, {'a': math.nan, 'b': math.inf, 'c': 'NaN'})
    self.assertEqual(list(table['client_id']), ['=cmd|x', 'b'])
    with open(f'{run_dir}/clients.csv', encoding='utf-8') as file:
      self.assertEqual(file.read(), "client_id\n'=cmd|x\nb\n")


if __name__ == '__main__':
  absltest.main()
