"""Tests of adaptation runs: their tables, and that killing one changes nothing."""

import dataclasses
import json
import os
import shutil
import types
from unittest import mock

import numpy as np
import pandas as pd
from absl.testing import absltest

from tests import processes, reading
from tests.personalization import sharing
from tff_lg import config as config_lib
from tff_lg import personalization, progress, simulation, verdicts
from tff_lg.personalization import adaptation_run, adaptation_work, adapting
from tff_lg.simulation import trained_run

_SOURCE = config_lib.TrainConfig(
  task='digits', num_clients=5, clients_per_round=2, rounds=3, method='fedavg', evaluate_every=1
)
_OWN = {'local_only_epochs': 4, 'local_only_learning_rate': (0.1,)}
_TESTS = ('local_test/accuracy', 'participant_test/accuracy')

# Kills itself as a chunk of the second adaptation is about to be evaluated.
_KILLED = """
import os, signal
from tff_lg import config, personalization, simulation
from tff_lg.personalization import adaptation_work

original = adaptation_work.AdaptationWork.try_all
calls = 0
def dies(self, clients):
  global calls
  calls += 1
  if calls == 4:
    os.kill(os.getpid(), signal.SIGKILL)
  return original(self, clients)
adaptation_work.AdaptationWork.try_all = dies
simulation.set_execution_context()
personalization.run_adaptation(config.AdaptConfig(**{fields!r}), {folder!r})
"""


def setUpModule():
  sharing.set_up_module()


def _train(folder, **fields):
  config = dataclasses.replace(_SOURCE, **fields)
  simulation.run_experiment(config_lib.resolve(config), folder)
  return folder


class AdaptationRunTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.root = cls.create_tempdir(cls()).full_path
    cls.source = _train(f'{cls.root}/source', **_OWN)
    cls.config = config_lib.AdaptConfig(
      from_run=cls.source,
      adaptation=('fine_tune', 'distillation'),
      epochs=2,
      learning_rate=(0.05,),
      clients_per_chunk=2,
      seed=3,
    )
    cls.folder = f'{cls.root}/adapted'
    with mock.patch.object(progress, 'stage', wraps=progress.stage) as stage:
      cls.summary = personalization.run_adaptation(cls.config, cls.folder)
    cls.stages = [call.args[0] for call in stage.call_args_list]
    cls.table = pd.read_parquet(f'{cls.folder}/clients.parquet')

  def test_says_which_run_is_loaded(self):
    self.assertEqual(self.stages, [f'loading {self.config.from_run}'])

  def test_folder(self):
    hparams = json.loads(reading.read(self.folder, 'hparams.json'))
    self.assertEqual(hparams['source'], json.loads(reading.read(self.source, 'hparams.json')))
    self.assertEqual(hparams['adaptation'], ['fine_tune', 'distillation'])
    self.assertEqual((hparams['momentum'], hparams['batch_size']), (0.5, 10))
    flags = reading.read(self.folder, 'flags.txt').decode()
    self.assertIn('--adaptation=fine_tune,distillation\n', flags)
    self.assertNotIn('--source', flags)
    self.assertEqual(json.loads(reading.read(self.folder, 'summary.json')), self.summary)

  def test_columns(self):
    columns = ['client_id', 'num_train', 'num_validation', 'num_test', 'num_classes']
    for model in ('local_only', 'federated', 'fine_tune', 'distillation'):
      columns += [f'{model}/{metric}' for metric in ('validation/accuracy', *_TESTS)]
      if model == 'local_only':
        columns.append('local_only/epoch')
      elif model != 'federated':
        columns += [f'{model}/epoch', f'{model}/is_finite', f'{model}/learning_rate']
    columns[-1:] += ['distillation/distillation_alpha', 'distillation/distillation_temperature']
    columns += ['best/name', *(f'best/{metric}' for metric in ('validation/accuracy', *_TESTS))]
    self.assertEqual(list(self.table), [*columns, 'best/local_test/correct'])
    for marks, score in zip(
      self.table['best/local_test/correct'], self.table['best/local_test/accuracy'], strict=True
    ):
      self.assertAlmostEqual(verdicts.from_marks(marks).mean(), score, places=6)
    self.assertNotIn('correct', reading.read(self.folder, 'clients.csv').decode())

  def test_validation_curves(self):
    curves = pd.read_csv(f'{self.folder}/validation_curves.csv')
    self.assertEqual(list(curves['epoch']), [0, 1, 2] * (len(curves) // 3))
    self.assertEqual(list(curves['model'].unique()), ['fine_tune', 'distillation'])
    weight = self.table['num_validation']
    federated = np.average(self.table['federated/validation/accuracy'], weights=weight)
    # Epoch 0 is the federated model, whatever adapts it.
    at_start = curves.loc[curves['epoch'] == 0, 'validation/accuracy']
    np.testing.assert_allclose(at_start, federated, rtol=1e-6)

  def test_other_models_are_those_of_the_source_run(self):
    for model, folder in (('federated', ''), ('local_only', 'baselines/local_only')):
      own = pd.read_parquet(os.path.join(self.source, folder, 'clients.parquet'))
      for metric in ('validation/accuracy', *_TESTS):
        np.testing.assert_array_equal(self.table[f'{model}/{metric}'], own[metric])
    self.assertEqual(list(self.table['client_id']), list(own['client_id']))

  def test_adapted_models_by_hand(self):
    source = trained_run.load_trained_run(self.source)
    config = config_lib.resolve_adapt(self.config, source.config)
    evaluator = adaptation_work.ModelEvaluator(source)
    work = adaptation_work.AdaptationWork('fine_tune', config, source, evaluator)
    for client, epoch in enumerate(self.table['fine_tune/epoch']):
      values = work.train_to(np.array([client]), 0, epoch)
      for metric in _TESTS:
        self.assertEqual(self.table[f'fine_tune/{metric}'][client], values[metric][0])
    self.assertTrue(self.table['fine_tune/is_finite'].all())

  def test_epoch_zero_is_the_federated_model(self):
    # No step of this size changes a float32.
    config = dataclasses.replace(
      self.config, adaptation=('fine_tune',), learning_rate=(1e-30,), max_clients=3
    )
    folder = f'{self.root}/frozen'
    summary = personalization.run_adaptation(config, folder)
    table = pd.read_parquet(f'{folder}/clients.parquet')
    np.testing.assert_array_equal(table['fine_tune/epoch'], [0] * 3)
    self.assertEqual(set(table['best/name']), {'federated'})
    clients = adapting.sample_clients(config, np.full(5, False), np.full(5, True))
    self.assertEqual(list(table['client_id']), [self.table['client_id'][i] for i in clients])
    for metric in ('validation/accuracy', *_TESTS):
      federated = self.table[f'federated/{metric}'][clients]
      for model in ('federated', 'fine_tune', 'best'):
        np.testing.assert_array_equal(table[f'{model}/{metric}'], federated)
    self.assertEqual(summary['best/gain_over/federated/local_test/accuracy/mean_over_clients'], 0)

  def test_killed_run_gives_the_same_bytes(self):
    folder = f'{self.root}/killed'
    fields = {
      field.name: getattr(self.config, field.name) for field in dataclasses.fields(self.config)
    }
    result = processes.run_code(_KILLED.format(fields=fields, folder=folder))
    self.assertEqual(result.returncode, -9, result.stderr)
    self.assertLen(os.listdir(f'{folder}/parts'), 3)
    personalization.run_adaptation(self.config, folder)
    for name in ('clients.parquet', 'summary.json', 'hparams.json'):
      self.assertEqual(reading.read(folder, name), reading.read(self.folder, name), name)

  def test_complete_run_is_not_run_again(self):
    folder = shutil.copytree(self.folder, f'{self.root}/complete')
    shutil.rmtree(f'{folder}/parts')
    self.assertEqual(personalization.run_adaptation(self.config, folder), self.summary)
    self.assertFalse(os.path.exists(f'{folder}/parts'))

  def test_refuses_before_anything_is_written(self):
    folder = f'{self.root}/refused'
    for changes, sentence in (
      ({'from_run': f'{self.root}/nothing'}, 'nothing holds no run'),
      ({'adaptation': ('freeze_base',), 'trained_layers': ('top',)}, 'hidden_1, .*, output'),
    ):
      with self.assertRaisesRegex(ValueError, sentence):
        personalization.run_adaptation(dataclasses.replace(self.config, **changes), folder)
      self.assertFalse(os.path.exists(folder))
    with self.assertRaisesRegex(ValueError, 'other settings .epochs was 2, now 4'):
      personalization.run_adaptation(dataclasses.replace(self.config, epochs=4), self.folder)

  def test_clients_with_weights_of_their_own_and_without_a_baseline(self):
    source = _train(
      f'{self.root}/lg', method='lg_fedavg', baselines=(), rounds=2, warm_start_rounds=1
    )
    config = dataclasses.replace(
      self.config, from_run=source, adaptation=('ewc',), choose='global', fisher_examples=9
    )
    with self.assertLogs(level='WARNING') as logs:
      summary = personalization.run_adaptation(config, f'{self.root}/lg_adapted')
    self.assertIn('give --own_models=network to train such models', logs.output[0])
    table = pd.read_parquet(f'{self.root}/lg_adapted/clients.parquet')
    self.assertNotIn('local_only/local_test/accuracy', table)
    self.assertLen(set(table['ewc/epoch']), 1)
    self.assertIn('ewc/gain_over/federated/local_test/accuracy/mean_over_clients', summary)
    self.assertFalse(any('local_only' in name for name in summary))


class TableTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.clients = np.array([0, 1, 3])
    own = pd.DataFrame(
      {
        'client_id': ['a', 'b', 'c', 'd'],
        'num_train': 9,
        'num_validation': [4, 4, 4, 0],
        'num_test': [2, 2, 2, 0],
        'num_classes': 2,
        'validation/accuracy': [0.5, 0.75, 1.0, np.nan],
        'local_test/accuracy': [0.5, 1.0, 1.0, np.nan],
      }
    )
    self.source = types.SimpleNamespace(
      config=types.SimpleNamespace(model_metrics=('accuracy',), score_on_others=False),
      clients=own,
      local_only=None,
      is_held_out=np.zeros(4, bool),
      federated_data=types.SimpleNamespace(has_plain_labels=False),
    )
    self.config = config_lib.AdaptConfig(
      adaptation=('ewc',), ewc_learning_rate=(0.1, 0.2), ewc_strength=(50.0,)
    )
    self.adapted = {
      'ewc': adapting.Adapted(
        settings=self.config.settings('ewc'),
        setting=np.array([1, 0, 0]),
        epoch=np.array([4, 0, 2]),
        is_finite=np.array([True, True, True]),
        values={
          'validation/accuracy': np.array([1.0, 0.75, np.nan]),
          'local_test/accuracy': np.array([0.25, 1.0, np.nan]),
        },
        curves=np.zeros((3, 2, 1)),
        evaluated_epochs=np.zeros(1, int),
        pooled=np.zeros((2, 1)),
        num_validation=np.array([4, 4, 0]),
        aggregated={4: {'local_test/accuracy': np.array([0.75, 0.5, np.nan])}},
      )
    }

  def _table(self):
    return adaptation_run.build_table(self.config, self.source, self.clients, self.adapted)

  def test_best_is_by_validation_data_and_the_first_of_equals(self):
    table = self._table()
    self.assertEqual(list(table['client_id']), ['a', 'b', 'd'])
    # The last has none: of all, 8 examples, the adapted model is better.
    self.assertEqual(list(table['best/name']), ['ewc', 'federated', 'ewc'])
    np.testing.assert_array_equal(table['best/local_test/accuracy'], [0.25, 1.0, np.nan])
    np.testing.assert_array_equal(table['ewc/learning_rate'], [0.2, 0.1, 0.1])
    np.testing.assert_array_equal(table['ewc/ewc_strength'], [50.0] * 3)

  def test_scores_by_example_are_those_of_the_best(self):
    self.assertNotIn('best/local_test/correct', self._table())
    self.source.clients['local_test/correct'] = ['10', '11', '11', None]
    self.adapted['ewc'].values['local_test/correct'] = np.array(['0100', '01', ''], object)
    marks = list(self._table()['best/local_test/correct'])
    # The last has no test examples.
    self.assertEqual(marks[:2], ['0100', '11'])
    self.assertTrue(pd.isna(marks[2]))

  def test_summary(self):
    summary = adaptation_run.summarize(self._table())
    gain = 'ewc/gain_over/federated/local_test/accuracy'
    self.assertEqual(summary['num_clients'], 3)
    self.assertEqual(summary['ewc/local_test/accuracy/mean_over_clients'], 0.625)
    self.assertEqual(summary['ewc/local_test/accuracy/std_over_clients'], 0.375)
    self.assertEqual(summary[f'{gain}/mean_over_clients'], -0.125)
    self.assertEqual(summary[f'{gain}/share_of_clients_worse'], 0.5)
    self.assertEqual(
      summary['best/gain_over/federated/local_test/accuracy/share_of_clients_worse'], 0.5
    )
    self.assertNotIn('federated/gain_over/federated/local_test/accuracy/mean_over_clients', summary)
    aggregated = 'ewc_aggregated_4/gain_over/federated/local_test/accuracy'
    self.assertEqual(summary[f'{aggregated}/mean_over_clients'], -0.125)

  def test_scores_on_others(self):
    self.source.config.score_on_others = True
    self.source.clients['others_test/accuracy'] = [0.5, 0.25, 0.75, 0.25]
    self.adapted['ewc'].values['others_test/accuracy'] = np.array([0.25, 0.25, 0.75])
    table = self._table()
    np.testing.assert_array_equal(table['federated/others_test/accuracy'], [0.5, 0.25, 0.25])
    np.testing.assert_array_equal(table['best/others_test/accuracy'], [0.25, 0.25, 0.75])
    summary = adaptation_run.summarize(table)
    self.assertEqual(summary['best/others_test/accuracy/mean_over_clients'], 1.25 / 3)
    gain = 'ewc/gain_over/federated/others_test/accuracy/mean_over_clients'
    self.assertAlmostEqual(summary[gain], 0.25 / 3)

  def test_rounding_leaves_nobody_worse(self):
    table = pd.DataFrame(
      {
        'is_malicious': [False, False, False, True],
        'federated/local_test/accuracy': [0.6, 0.5, 0.5, 0.5],
        'best/local_test/accuracy': np.float32([0.6, 0.5, 0.25, 0.25]) - np.float32(1e-7),
      }
    )
    summary = adaptation_run.summarize(table)
    name = 'best/gain_over/federated/local_test/accuracy/share_of_clients_worse'
    self.assertAlmostEqual(summary[name], 1 / 3)

  def test_summary_of_clients_apart(self):
    self.source.clients['is_held_out'] = [False, False, False, True]
    table = self._table().assign(is_removed=[True, False, False])
    summary = adaptation_run.summarize(table)
    name = 'ewc/local_test/accuracy/mean_over_clients'
    self.assertEqual((summary['num_clients'], summary[name]), (2, 0.625))
    self.assertEqual((summary['kept/num_clients'], summary[f'kept/{name}']), (1, 1.0))
    self.assertEqual((summary['removed/num_clients'], summary[f'removed/{name}']), (1, 0.25))
    self.assertEqual(summary['held_out/num_clients'], 1)
    self.assertNotIn(f'held_out/{name}', summary)  # It has no test data.

  def test_gains_are_of_honest_clients(self):
    self.source.clients['is_malicious'] = [True, False, False, False]
    summary = adaptation_run.summarize(self._table())
    gain = 'ewc/gain_over/federated/local_test/accuracy'
    self.assertEqual(summary[f'{gain}/mean_over_clients'], 0)


if __name__ == '__main__':
  absltest.main()
