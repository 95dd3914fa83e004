"""Runs that predict numbers or several labels, or are chosen by another metric, end to end."""

import os

import numpy as np
import pandas as pd
from absl.testing import absltest
from sklearn import metrics as sklearn_metrics

from tests.simulation import running
from tff_lg import analysis, simulation
from tff_lg import config as config_lib
from tff_lg.analysis import client_advice, formats
from tff_lg.inputs import tasks
from tff_lg.personalization import adaptation_run

_SHORT = {
  'rounds': 2,
  'evaluate_every': 1,
  'client_learning_rate': 0.02,
  'local_only_epochs': 2,
  'local_only_learning_rate': (0.02,),
}


def setUpModule():
  running.set_up_module()


def _run(folder, **options):
  summary = simulation.run_experiment(
    config_lib.resolve(config_lib.TrainConfig(**(_SHORT | options))), folder
  )
  return summary, pd.read_parquet(os.path.join(folder, 'clients.parquet'))


class RegressionRunTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.folder = cls.create_tempdir(cls()).full_path + '/run'
    kinds = ('network', 'linear', 'boosting')
    cls.summary, cls.clients = _run(
      cls.folder, task='diabetes', method='fedavg', own_models=kinds, goal_accuracy=(2.0, 0.001)
    )

  def test_columns_are_those_of_numbers(self):
    errors = [np.array(text.split(), float) for text in self.clients['local_test/by_example']]
    mae = [error.mean() for error in errors]
    np.testing.assert_allclose(self.clients['local_test/mae'], mae, rtol=1e-6)
    rmse = [np.sqrt(np.square(error).mean()) for error in errors]
    np.testing.assert_allclose(self.clients['local_test/rmse'], rmse, rtol=1e-6)
    self.assertAlmostEqual(self.summary['pooled_test/mae'], np.concatenate(errors).mean(), 6)
    self.assertLess(self.summary['pooled_test/r2'], 1)
    self.assertFalse([name for name in (*self.summary, *self.clients) if 'accuracy' in name])

  def test_loss_and_r2_are_those_of_scikit_learn(self):
    errors = np.array(self.clients['local_test/by_example'][0].split(), float)
    mse = sklearn_metrics.mean_squared_error(np.zeros(len(errors)), errors)
    self.assertAlmostEqual(self.clients['local_test/loss'][0], mse, 5)
    config = config_lib.resolve(config_lib.TrainConfig(task='diabetes'))
    y = tasks.load_data(config.input_options).clients[0].test.y
    r2 = sklearn_metrics.r2_score(y, y + errors)
    self.assertAlmostEqual(self.clients['local_test/r2'][0], r2, 5)

  def test_a_gain_is_a_lower_error(self):
    own = self.clients['local_only/local_test/mae']
    gains = own - self.clients['local_test/mae']
    start = 'gain_over/local_only/local_test/mae'
    self.assertAlmostEqual(self.summary[f'{start}/mean_over_clients'], gains.mean(), 12)
    self.assertEqual(self.summary[f'{start}/share_of_clients_worse'], (gains < 0).mean())
    difference = self.clients['verdict_over/local_only/difference']
    np.testing.assert_allclose(difference, gains, atol=1e-6)
    self.assertIn('paired t-test', self.summary['verdict_over/local_only/test'])

  def test_best_rounds_have_the_lowest_error(self):
    rounds = pd.read_csv(os.path.join(self.folder, 'metrics.csv'), index_col='round_num')
    best = rounds['validation/mae/mean_over_clients'].idxmin()
    self.assertEqual(set(self.clients['best_round']), {best})

  def test_goals_are_reached_from_above(self):
    self.assertEqual(self.summary['rounds_to/2.0/local_test/mae/pooled'], 1)
    self.assertNotIn('rounds_to/0.001/local_test/mae/pooled', self.summary)

  def test_advice_says_what_it_is_worth(self):
    sentences = client_advice.advice_sentences(analysis.RunFolder.load(self.folder))
    mean = self.clients['advice/local_test/mae'].mean()
    self.assertLen(sentences, 2)
    self.assertStartsWith(sentences[1], f'So advised, they have {mean:.4g} local test MAE on aver')
    own = self.clients['local_only/local_test/mae']
    gain = formats.difference_with_unit('mae', (own - self.clients['advice/local_test/mae']).mean())
    self.assertIn(f' on average, {gain} over their own models (95', sentences[1])

  def test_report_and_adaptation(self):
    text = analysis.comparison_text(self.folder)
    self.assertIn('local test MAE (decrease)', text)
    self.assertIn('ridge regression', text)
    analysis.write_report(self.folder)
    config = config_lib.AdaptConfig(
      from_run=self.folder,
      adaptation=('fine_tune', 'distillation'),
      epochs=1,
      learning_rate=(0.01,),
    )
    folder = self.create_tempdir().full_path + '/adapted'
    summary = adaptation_run.run_adaptation(config, folder)
    table = pd.read_parquet(os.path.join(folder, 'clients.parquet'))
    gains = table['federated/local_test/mae'] - table['fine_tune/local_test/mae']
    self.assertAlmostEqual(
      summary['fine_tune/gain_over/federated/local_test/mae/mean_over_clients'], gains.mean(), 12
    )
    best = table[['federated/validation/mae', 'fine_tune/validation/mae']].min(axis=1)
    self.assertTrue((table['best/validation/mae'] <= best).all())
    self.assertIn('local test MAE', analysis.adaptation_text(folder))


class SeveralLabelsRunTest(absltest.TestCase):
  def test_run(self):
    rng = np.random.default_rng(0)
    x = rng.normal(size=[120, 3]).astype(np.float32)
    y = (x + rng.normal(size=x.shape) > 0).astype(np.int64)
    data_dir = self.create_tempdir().full_path
    np.savez(os.path.join(data_dir, 'train.npz'), x=x, y=y)
    folder = self.create_tempdir().full_path + '/run'
    summary, clients = _run(
      folder,
      task='arrays',
      data_dir=data_dir,
      objective='multilabel',
      partition='iid',
      num_clients=3,
      clients_per_round=3,
      selection_metric='macro_f1',
    )
    shares = np.concatenate([np.array(t.split(), float) for t in clients['local_test/by_example']])
    self.assertAlmostEqual(summary['pooled_test/label_accuracy'], shares.mean(), 6)
    for name in ('macro_f1', 'auc'):
      self.assertBetween(summary[f'pooled_test/{name}'], 0, 1)
      self.assertTrue(clients[f'local_test/{name}'].between(0, 1).all())
    self.assertIn('local test (%)', analysis.comparison_text(folder))


class SelectionRunTest(absltest.TestCase):
  def test_by_macro_f1_with_auc_beside(self):
    folder = self.create_tempdir().full_path + '/run'
    summary, clients = _run(
      folder,
      task='digits',
      method='fedavg',
      baselines=(),
      local_only_epochs=None,
      local_only_learning_rate=None,
      num_clients=3,
      clients_per_round=3,
      partition='iid',
      selection_metric='macro_f1',
      metrics=('auc',),
    )
    rounds = pd.read_csv(os.path.join(folder, 'metrics.csv'), index_col='round_num')
    best = rounds['validation/macro_f1/mean_over_clients'].idxmax()
    self.assertEqual(set(clients['best_round']), {best})
    self.assertNotIn('validation/auc/pooled', rounds)
    mean = clients['local_test/auc'].mean()
    # Rounds rank examples to a hundredth of the logit.
    self.assertAlmostEqual(rounds['local_test/auc/mean_over_clients'][best], mean, delta=5e-3)
    self.assertGreater(summary['pooled_test/auc'], 0.5)


if __name__ == '__main__':
  absltest.main()
