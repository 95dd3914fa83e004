"""Tests of adaptations whose rate and epoch validation clients choose for all."""

import dataclasses

import numpy as np
import pandas as pd
from absl.testing import absltest

from tff_lg import config as config_lib
from tff_lg import personalization, simulation
from tff_lg.analysis import leaderboard_runs
from tff_lg.personalization import adaptation_work, adapting
from tff_lg.simulation import trained_run


def setUpModule():
  simulation.set_execution_context()


class ValidationClientsTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.root = cls.create_tempdir(cls()).full_path
    config = config_lib.TrainConfig(
      task='digits',
      num_clients=8,
      held_out_clients=5,
      validation_clients=2,
      clients_per_round=2,
      rounds=2,
      method='fedavg',
      baselines=(),
      validation_fraction=0.3,
    )
    simulation.run_experiment(config_lib.resolve(config), f'{cls.root}/source')
    cls.config = config_lib.AdaptConfig(
      from_run=f'{cls.root}/source',
      adaptation=('fine_tune',),
      choose='validation_clients',
      learning_rate=(0.02, 0.2),
      epochs=3,
    )

  def _adapt(self, name, **changes):
    config = dataclasses.replace(self.config, **changes)
    summary = personalization.run_adaptation(config, f'{self.root}/{name}')
    return summary, pd.read_parquet(f'{self.root}/{name}/clients.parquet')

  def _curves(self, source):
    """Returns validation accuracy [held-out clients, rates, epochs], by the work alone."""
    config = config_lib.resolve_adapt(self.config, source.config)
    work = adaptation_work.AdaptationWork(
      'fine_tune', config, source, adaptation_work.ModelEvaluator(source)
    )
    return work.try_all(np.flatnonzero(source.is_held_out))['validation/accuracy']

  def test_the_best_on_average_over_validation_clients_is_everybodys(self):
    summary, table = self._adapt('adapted')
    source = trained_run.load_trained_run(f'{self.root}/source')
    self.assertEqual((source.is_held_out.sum(), source.is_validation_client.sum()), (5, 2))
    self.assertEqual(
      list(table['client_id']), list(source.clients['client_id'][source.is_held_out])
    )
    chooses = table['is_validation_client'].to_numpy()
    means = self._curves(source)[chooses].mean(axis=0)
    epoch, rate = np.unravel_index(means.T.argmax(), means.T.shape)
    self.assertEqual(set(table['fine_tune/epoch']), {epoch})
    self.assertEqual(set(table['fine_tune/learning_rate']), {(0.02, 0.2)[rate]})
    self.assertEqual(
      (summary['held_out/num_clients'], summary['validation_clients/num_clients']), (3, 2)
    )
    self.assertNotIn('num_clients', summary)

    tuned = leaderboard_runs.load_adapted(f'{self.root}/adapted', 'fine_tune', of_test_clients=True)
    plain = leaderboard_runs.load_trained(f'{self.root}/source', of_test_clients=True)
    for scores, column in ((tuned, 'fine_tune/'), (plain, 'federated/')):
      np.testing.assert_array_equal(scores.test, table[f'{column}local_test/accuracy'][~chooses])
      expected = table[f'{column}validation/accuracy'][chooses]
      np.testing.assert_array_equal(scores.main_validation, expected)
      self.assertEmpty(scores.held_out)
    others = leaderboard_runs.load_trained(f'{self.root}/source')
    self.assertEqual((len(others.test), len(others.held_out)), (3, 3))

  def test_initial_weights_are_where_clients_learn_alone(self):
    _, table = self._adapt('alone', start='initial', learning_rate=(1e-30,))
    source = trained_run.load_trained_run(f'{self.root}/source')
    self.assertEqual(set(table['fine_tune/epoch']), {0})
    started = adapting.with_start(config_lib.AdaptConfig(start='initial'), source)
    clients = np.flatnonzero(source.is_held_out)
    evaluate = adaptation_work.ModelEvaluator(source)
    values = evaluate(clients, [source.model.initial_weights] * len(clients))
    for name in ('local_test/accuracy', 'participant_test/accuracy'):
      np.testing.assert_array_equal(table[f'fine_tune/{name}'], values[name])
    self.assertIs(started.weights[0], started.weights[-1])

  def test_refuses(self):
    source = trained_run.load_trained_run(f'{self.root}/source')
    nobody = trained_run.TrainedRun(
      **{**vars(source), 'clients': source.clients.drop(columns='is_validation_client')}
    )
    config = config_lib.resolve_adapt(self.config, source.config)
    with self.assertRaisesRegex(ValueError, 'No client .* with --validation_clients'):
      adapting.check_adaptable(config, nobody, np.arange(3, 8))
    with self.assertRaisesRegex(config_lib.ConfigError, 'aggregate_epochs is given, but --choose'):
      config_lib.AdaptConfig(choose='validation_clients', aggregate_epochs=(1,))


if __name__ == '__main__':
  absltest.main()
