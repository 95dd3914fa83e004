"""Tests of picking the split: estimates against NumPy, candidates by hand, whole runs."""

import dataclasses
import json
import os
import shutil
from unittest import mock

import numpy as np
import pandas as pd
from absl.testing import absltest, parameterized

from tests import reading
from tests.simulation import running
from tff_lg import config as config_lib
from tff_lg import data, models, seeds, simulation, training
from tff_lg.inputs import tasks
from tff_lg.run_folder import run_files
from tff_lg.simulation import layer_variances, run_phases, split_choice, trained_run

_CONFIG = config_lib.TrainConfig(
  task='digits',
  num_clients=5,
  clients_per_round=2,
  warm_start_rounds=2,
  rounds=3,
  auto_rounds=2,
  global_layers=('auto',),
  baselines=(),
)
# Of the task's network.
_PARAMETERS = {'hidden_1': 4_160, 'hidden_2': 4_160, 'hidden_3': 2_080, 'output': 330}


def setUpModule():
  running.set_up_module()


def _layer(name, alpha):
  return layer_variances.LayerVariance(name, 10, alpha, 1 - alpha, alpha)


class NestedSplitsTest(absltest.TestCase):
  def test_layers_of_large_alpha_are_the_first_to_be_local(self):
    layers = [_layer(*each) for each in (('a', 0.2), ('b', 0.9), ('c', 0.9), ('d', 0.5))]
    self.assertEqual(
      split_choice.nested_splits(layers),
      [
        ((), ('a', 'b', 'c', 'd')),
        (('b',), ('a', 'c', 'd')),
        (('b', 'c'), ('a', 'd')),
        (('b', 'c', 'd'), ('a',)),
      ],
    )


class BestCandidateTest(parameterized.TestCase):
  @parameterized.parameters(('accuracy', 1), ('mae', 2), ('loss', 2))
  def test_metric_then_what_is_sent(self, metric, expected):
    candidates = [
      split_choice.Candidate((), ('a', str(number)), parameters, {metric: score, 'loss': loss})
      for number, (parameters, score, loss) in enumerate(
        [(30, 0.9, 0.5), (20, 0.9, 0.4), (10, 0.8, 0.3), (5, float('nan'), float('nan'))]
      )
    ]
    self.assertIs(split_choice.best_candidate(candidates, metric), candidates[expected])


class EstimateLayersTest(absltest.TestCase):
  def _estimate(self, federated_data, batch_size=100, clients_per_round=2):
    config = config_lib.resolve(
      dataclasses.replace(
        _CONFIG,
        batch_size=batch_size,
        clients_per_round=clients_per_round,
        client_learning_rate=0.5,
      )
    )
    model = tasks.as_local_global(models.build_mlp((3,), 2, (), seed=1))
    alone = run_phases.build_phases(config_lib.as_baseline(config, 'local_only'), model)[0].process
    weights = model.initial_weights
    return layer_variances.estimate_layers(
      config.sampling_options, alone, federated_data, weights
    ), weights

  def test_one_step_of_softmax_regression_as_in_numpy(self):
    rng = np.random.default_rng(3)
    clients = []
    # One client has no halves, another leaves one example out.
    for number, size in enumerate((6, 4, 1, 5)):
      x, y = rng.normal(size=(size, 3)), rng.integers(0, 2, size)
      train = data.Examples(x.astype(np.float32), y.astype(np.int32))
      clients.append(data.ClientExamples(f'client {number}', train, train, train))
    federated_data = data.FederatedData(tuple(clients), clients[0].train, 2, ('a', 'b'))
    ((layer,), num_clients), (kernel, bias) = self._estimate(federated_data)
    halves = []
    for number in (0, 1, 3):
      train = clients[number].train
      seed = seeds.derive_seed(0, seeds.Purpose.SPLIT, number)
      order, size = np.random.default_rng(seed).permutation(len(train)), len(train) // 2
      for chosen in (order[:size], order[size : 2 * size]):
        x, y = train.x[chosen].astype(np.float64), train.y[chosen]
        scores = np.exp(x @ kernel + bias)
        error = scores / scores.sum(axis=1, keepdims=True) - np.eye(2)[y]
        gradient = np.concatenate([(x.T @ error).ravel(), error.sum(axis=0)]) / size
        halves.append(-0.5 * gradient)
    first, second = np.reshape(halves, (3, 2, -1)).swapaxes(0, 1)
    device = sum(np.cov(a, b)[0, 1] for a, b in zip(first.T, second.T, strict=True))
    of_data = ((first - second) / 2).var(axis=0, ddof=1).sum()
    self.assertEqual((layer.layer, layer.parameters, num_clients), ('output', 8, 3))
    np.testing.assert_allclose(layer.device_variance, device, rtol=1e-4)
    np.testing.assert_allclose(layer.data_variance, of_data, rtol=1e-4)
    self.assertAlmostEqual(layer.alpha, max(device, 0) / (max(device, 0) + of_data), places=4)

  def test_a_client_whose_update_is_not_finite_does_not_count(self):
    rng = np.random.default_rng(3)
    clients = []
    for number in range(3):
      x, y = rng.normal(size=(4, 3)).astype(np.float32), np.array([0, 1, 0, 1], np.int32)
      train = data.Examples(np.full_like(x, np.inf) if number == 1 else x, y)
      clients.append(data.ClientExamples(f'client {number}', train, train, train))
    found = [
      self._estimate(
        data.FederatedData(tuple(some), clients[0].train, 2, ('a', 'b')), clients_per_round=1
      )[0]
      for some in (clients, clients[::2])
    ]
    self.assertEqual([num_clients for _, num_clients in found], [2, 2])
    self.assertTrue(np.isfinite(found[0][0][0].data_variance))

  def test_one_client_is_not_enough(self):
    train = data.Examples(np.ones((4, 3), np.float32), np.zeros(4, np.int32))
    client = data.ClientExamples('alone', train, train, train)
    with self.assertRaisesRegex(ValueError, '1 clients have two training examples and finite'):
      self._estimate(data.FederatedData((client,), train, 2, ('a', 'b')))


class RunTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.root = cls.create_tempdir(cls()).full_path
    cls.folder = f'{cls.root}/auto'
    cls.summary = simulation.run_experiment(config_lib.resolve(_CONFIG), cls.folder)
    cls.choice = split_choice.load_choice(cls.folder)

  def test_what_was_picked_is_the_best_candidate(self):
    choice = self.choice
    self.assertEqual({each.layer: each.parameters for each in choice.layers}, _PARAMETERS)
    self.assertEqual((choice.num_clients, choice.num_rounds), (5, 2))
    self.assertEqual(
      [(each.local_layers, each.global_layers) for each in choice.candidates],
      split_choice.nested_splits(choice.layers),
    )
    best = split_choice.best_candidate(choice.candidates, 'accuracy')
    self.assertEqual(choice.global_layers, best.global_layers)
    # Two rounds of two clients, both ways; and down once, up twice for the estimates.
    tried = sum(each.parameters for each in choice.candidates)
    self.assertEqual(choice.parameters_total, 2 * 2 * 2 * tried + 5 * 3 * sum(_PARAMETERS.values()))

  def test_a_choice_from_before_other_metrics_is_read(self):
    folder = self.create_tempdir().full_path
    found = json.loads(reading.read(self.folder, 'split.json'))
    for each in found['candidates']:
      each |= each.pop('scores')
    with open(f'{folder}/split.json', 'w', encoding='utf-8') as file:
      json.dump(found, file)
    self.assertIn('accuracy', found['candidates'][0])
    self.assertEqual(split_choice.load_choice(folder), self.choice)

  def test_numbers_are_compared_by_their_error(self):
    config = config_lib.TrainConfig(
      task='diabetes',
      warm_start_rounds=1,
      rounds=1,
      auto_rounds=1,
      global_layers=('auto',),
      baselines=(),
      client_learning_rate=0.02,
    )
    folder = self.create_tempdir().full_path + '/run'
    simulation.run_experiment(config_lib.resolve(config), folder)
    choice = split_choice.load_choice(folder)
    best = min(choice.candidates, key=lambda each: (each.scores['mae'], each.parameters))
    self.assertEqual(choice.global_layers, best.global_layers)
    self.assertRegex(choice.describe(), 'parameters sent +MAE +loss')

  def test_it_is_shown(self):
    text = reading.read(self.folder, 'model_split.txt').decode()
    self.assertIn(self.choice.describe(), text)
    for name, parameters in _PARAMETERS.items():
      side = 'global' if name in self.choice.global_layers else 'local'
      self.assertRegex(text, rf'{name} +{side} +{parameters:,} ')
    self.assertLen([line for line in text.splitlines() if 'picked' in line], 2)
    self.assertEqual(self.summary['split/global_layers'], ','.join(self.choice.global_layers))
    self.assertFalse(os.path.exists(f'{self.folder}/split'))

  def test_the_run_is_that_of_the_layers_by_name(self):
    named = dataclasses.replace(_CONFIG, global_layers=self.choice.global_layers, auto_rounds=None)
    summary = simulation.run_experiment(config_lib.resolve(named), f'{self.root}/named')
    of_run = {k: v for k, v in self.summary.items() if not k.startswith('split/')}
    self.assertEqual(of_run, summary)
    self.assertEqual(
      reading.read(self.folder, 'metrics.csv'),
      reading.read(self.root, 'named', 'metrics.csv'),
    )
    # Whoever goes on with the run sees them as well.
    config = trained_run.load_config(self.folder)
    self.assertEqual(config, config_lib.resolve(named))
    run = trained_run.load_trained_run(self.folder)
    self.assertLen(run.weights, 5)

  def test_stopped_and_without_test_labels_the_choice_is_the_same(self):
    folder, load = f'{self.root}/stopped', tasks.load_data
    run, calls = training.run, []

    def without_test_labels(config):
      found = load(config)
      clients = tuple(
        dataclasses.replace(each, test=dataclasses.replace(each.test, y=0 * each.test.y))
        for each in found.clients
      )
      return dataclasses.replace(found, clients=clients)

    def stops(*args, **values):
      if 'run_dir' in values:  # Estimates are in memory.
        calls.append(args)
      # The warm start, a candidate, another; the warm start, four candidates, the run itself.
      if len(calls) in (3, 9):
        raise KeyboardInterrupt
      return run(*args, **values)

    with (
      mock.patch.object(tasks, 'load_data', without_test_labels),
      mock.patch.object(training, 'run', stops),
    ):
      for is_made in (False, True):
        with self.assertRaises(KeyboardInterrupt):
          simulation.run_experiment(config_lib.resolve(_CONFIG), folder)
        self.assertEqual(os.path.exists(f'{folder}/split.json'), is_made)
    self.assertLen(calls, 9)
    self.assertEqual(reading.read(folder, 'split.json'), reading.read(self.folder, 'split.json'))

  def test_a_split_that_diverges_is_not_picked(self):
    best = self.choice.candidates.index(
      split_choice.best_candidate(self.choice.candidates, 'accuracy')
    )
    config = config_lib.resolve(_CONFIG)
    run, diverging = training.run, {best}

    def diverges(*args, **values):
      # The warm start has no start of its own, the candidates are in folders by number.
      if {'start', 'run_dir'} <= values.keys() and int(values['run_dir'][-1]) in diverging:
        raise training.DivergenceError('Round 2: no client of the cohort has a finite update')
      return run(*args, **values)

    with mock.patch.object(training, 'run', diverges):
      simulation.run_experiment(config, f'{self.root}/one_diverges')
      diverging |= set(range(len(self.choice.candidates)))
      with self.assertRaisesRegex(training.RunError, 'Round 2'):
        simulation.run_experiment(config, f'{self.root}/all_diverge')
    choice = split_choice.load_choice(f'{self.root}/one_diverges')
    others = [each for each in self.choice.candidates if each is not self.choice.candidates[best]]
    self.assertEqual([each for i, each in enumerate(choice.candidates) if i != best], others)
    self.assertTrue(np.isnan(choice.candidates[best].scores['accuracy']))
    picked = split_choice.best_candidate(others, 'accuracy')
    self.assertEqual(choice.global_layers, picked.global_layers)
    self.assertEqual(choice.parameters_total, self.choice.parameters_total)

  def test_too_few_clients_are_refused_before_the_warm_start(self):
    config = dataclasses.replace(_CONFIG, num_clients=1, clients_per_round=1, partition='iid')
    with self.assertRaisesRegex(ValueError, '=auto: 1 of 1 clients have two training examples'):
      simulation.run_experiment(config_lib.resolve(config), f'{self.root}/one_client')
    self.assertFalse(os.path.exists(f'{self.root}/one_client'))

  def test_resume_does_not_estimate_again(self):
    folder = shutil.copytree(self.folder, f'{self.root}/resumed')
    os.unlink(f'{folder}/summary.json')
    self.assertEqual(json.loads(reading.read(folder, 'hparams.json'))['global_layers'], ['auto'])
    with mock.patch.object(layer_variances, 'estimate_layers', side_effect=AssertionError):
      summary = simulation.run_experiment(config_lib.resolve(_CONFIG), folder)
    self.assertEqual(summary, self.summary)
    pd.testing.assert_frame_equal(
      run_files.load_results(folder)[1], run_files.load_results(self.folder)[1]
    )


if __name__ == '__main__':
  absltest.main()
