"""Tests of the experiment on fair representations, on the synthetic table."""

import dataclasses
import functools
import itertools

import numpy as np
from absl.testing import absltest

from tff_lg import learning, models, simulation
from tff_lg.experiments import fair, fair_config, fair_network

_SMALL = fair_config.FairConfig(
  partitions=('non_iid',),
  lambdas=(2.0,),
  num_clients=2,
  train_rows=220,
  pretrain_epochs=1,
  rounds=2,
  seeds=(0, 5),
  local_budget='cohort',
)
_TO_BEST = dataclasses.replace(
  _SMALL,
  seeds=(5,),
  local_budget='best',
  local_only_epochs=3,
  local_only_patience=1,
  local_only_learning_rate=(0.01, 0.1),
)
# Of the network 36-32-32-32-32-2 and the adversary 32-32-32-32-2: weights and biases.
_ABOVE_H, _ADVERSARY = 32 * 33 + 33 * 2, 3 * 32 * 33 + 33 * 2


def setUpModule():
  simulation.set_execution_context()
  # Most of the time goes into processes, which depend on these values alone.
  build, built = fair_network.Networks.build_process, {}

  def build_once(networks, *settings):
    config = networks.config
    key = config.hidden_units, config.adversary_dropout_rate, networks.num_inputs, settings
    if key not in built:
      built[key] = build(networks, *settings)
    return built[key]

  fair_network.Networks.build_process = build_once


@functools.cache
def _run(config):
  return list(fair.run_fair(config))


class RunFairTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    every_run = _run(_SMALL)
    cls.runs, cls.of_other_seed = every_run[:5], every_run[5:]

  def test_methods_and_strengths(self):
    self.assertEqual(
      [(run.partition, run.method, run.strength, run.seed) for run in self.runs],
      [
        ('non_iid', *of_run, 0)
        for of_run in (
          ('local_only', 0.0),
          *itertools.product(('fedavg', 'lg_fedavg'), (0.0, 2.0)),
        )
      ],
    )
    self.assertEqual(_SMALL.num_runs, 10)
    self.assertEqual([run.seed for run in self.of_other_seed], [5] * 5)

  def test_outputs(self):
    for run in self.runs:
      self.assertLen(run.test_by_round, 3)
      self.assertEqual(sum(len(rows.y) for rows in run.train), 220)
      for rows in (*run.train, *run.test_by_round[0], *run.test_by_round[-1]):
        n = len(rows.y)
        self.assertEqual(rows.h.shape, (n, 32))
        self.assertEqual(rows.guesses.shape, (n, 2))
        self.assertEqual(rows.attributes.shape, (n, 2))
        self.assertBetween(rows.probability.min(), 0, 1)
        self.assertTrue((rows.h >= 0).all())
      self.assertEqual(run.left_out, 0)

  def test_rows_are_sorted_by_income_in_shards(self):
    # 220 rows in 20 shards of 11, ten a device: only one shard can have both classes.
    shares = [[np.sum(rows.y == label) for label in (0, 1)] for rows in self.runs[0].train]
    self.assertLessEqual(np.sum(np.array(shares) % 11 > 0), 2)
    for run in self.runs[1:]:
      for rows, same in zip(run.train, self.runs[0].train, strict=True):
        np.testing.assert_array_equal(rows.attributes, same.attributes)

  def test_what_travels(self):
    below_h = 37 * 32 + 2 * 33 * 32
    # An upload to begin with, then two rounds both ways, of two devices.
    travelling = {'local_only': 0, 'fedavg': below_h + _ABOVE_H + _ADVERSARY, 'lg_fedavg': _ABOVE_H}
    for run in self.runs:
      self.assertEqual(run.traffic.parameters, 2 * 5 * travelling[run.method])

  def test_methods_begin_with_the_same_local_layers_and_fedavg_with_their_mean(self):
    local, fedavg, _, lg_fedavg, _ = (run.test_by_round[0] for run in self.runs)
    for device in range(2):
      np.testing.assert_array_equal(local[device].h, lg_fedavg[device].h)
      np.testing.assert_array_equal(local[device].guesses, lg_fedavg[device].guesses)
      self.assertFalse(np.array_equal(local[device].h, fedavg[device].h))
      self.assertFalse(np.array_equal(local[device].probability, lg_fedavg[device].probability))

  def test_strength_changes_the_representation_of_the_last_round_only(self):
    for listening, acting in ((1, 2), (3, 4)):
      first, last = (
        [self.runs[run].test_by_round[round_num][0].h for run in (listening, acting)]
        for round_num in (0, -1)
      )
      np.testing.assert_array_equal(*first)
      self.assertFalse(np.array_equal(*last))

  def test_same_seed_same_bits_whatever_the_other_seeds(self):
    alone = fair.run_fair(dataclasses.replace(_SMALL, seeds=(5,)))
    for run, again in zip(self.of_other_seed[:2], alone, strict=False):
      for one, other in zip(run.test_by_round[-1], again.test_by_round[-1], strict=True):
        for a, b in zip(one, other, strict=True):
          np.testing.assert_array_equal(a, b)
    first, other = (runs[0].train[0].attributes for runs in (self.runs, self.of_other_seed))
    self.assertFalse(np.array_equal(first, other))


class ToBestTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.runs = _run(_TO_BEST)

  def test_own_models_stand_in_place_of_those_of_the_same_epochs(self):
    self.assertEqual(
      [(run.method, run.strength, run.seed) for run in self.runs],
      [
        ('local_only', 0.0, 5),
        ('own_linear', 0.0, 5),
        *((method, strength, 5) for method in ('fedavg', 'lg_fedavg') for strength in (0.0, 2.0)),
      ],
    )
    self.assertEqual(_TO_BEST.num_runs, 6)
    self.assertEqual(dataclasses.replace(_TO_BEST, own_models=('network',)).num_runs, 5)

  def test_the_others_are_as_with_own_models_of_the_same_epochs(self):
    others = _run(_SMALL)[6:]  # Those of seed 5, without local_only.
    for run, other in zip(self.runs[2:], others, strict=True):
      self.assertEqual(run.method, other.method)
      self.assertIs(run.test, run.test_by_round[-1])
      self.assertEmpty(run.own_models)
      for one, same in zip(run.test, other.test, strict=True):
        np.testing.assert_array_equal(one.probability, same.probability)

  def test_own_networks(self):
    run = self.runs[0]
    self.assertEmpty(run.test_by_round)
    self.assertEqual(run.traffic.parameters, 0)
    self.assertEqual(run.own_models['own_models/network/learning_rate'], 0.1)
    self.assertEqual(run.own_models['own_models/network/learning_rate/tried'], '0.01, 0.1')
    self.assertBetween(run.own_models['own_models/epochs/median_over_clients'], 1, 3)
    for rows in (*run.train, *run.test):
      self.assertEqual(rows.h.shape, (len(rows.y), 32))
      self.assertTrue(np.isfinite(rows.probability).all())
      self.assertTrue(np.isfinite(rows.guesses).all())

  def test_own_linear_models_have_no_representation(self):
    run = self.runs[1]
    self.assertIn('own_models/linear/C', run.own_models)
    for rows, of_network in zip(run.test, self.runs[0].test, strict=True):
      np.testing.assert_array_equal(rows.y, of_network.y)
      np.testing.assert_array_equal(rows.attributes, of_network.attributes)
      self.assertBetween(rows.probability.min(), 0, 1)
      self.assertTrue(np.isnan(rows.h).all())
      self.assertTrue(np.isnan(rows.guesses).all())


class RoundsTest(absltest.TestCase):
  def test_fedavg_is_the_mean_by_rows_of_what_devices_learn_alone(self):
    rng = np.random.default_rng(0)
    # Devices of 40 and of 10 rows, with weights of their own.
    train = [
      learning.ClientTensors(
        rng.normal(size=(n, 36)).astype(np.float32),
        rng.integers(0, 2, (n, 3)).astype(np.int32),
      )
      for n in (40, 10)
    ]
    networks = fair_network.Networks(_SMALL, 36)
    alone, fedavg = (networks.build_process(m, 0.0) for m in ('local_only', 'fedavg'))
    initial = alone.model.initial_weights
    start = [[w + rng.normal(size=w.shape).astype(np.float32) for w in initial] for _ in train]

    def mean(devices):
      pairs = zip(*devices, strict=True)
      return [np.average(pair, axis=0, weights=(40, 10)) for pair in pairs]

    states, diverged = fair._run_rounds(fedavg, start, train, 3, range(1, 2))
    (first, _), (second, left_out) = states
    (*_, (learned, _)), _ = fair._run_rounds(alone, first, train, 3, range(1, 2))
    self.assertEmpty(diverged)
    self.assertEqual(left_out, 0)
    for device in range(2):
      for found, expected in ((first, mean(start)), (second, mean(learned))):
        for weight, of_mean in zip(found[device], expected, strict=True):
          np.testing.assert_allclose(weight, of_mean, rtol=1e-5, atol=1e-6)
    self.assertFalse(np.allclose(first[0][0], second[0][0]))


class DivergenceTest(absltest.TestCase):
  def test_a_run_that_diverges_has_no_figures_and_the_others_have_theirs(self):
    config = dataclasses.replace(_SMALL, seeds=(5,), lambdas=(1e30,))
    with self.assertLogs(level='WARNING') as logs:
      runs = _run(config)
    self.assertEqual([bool(run.diverged) for run in runs], [False, False, True, False, True])
    self.assertEqual(
      runs[4].diverged,
      'Round 2: no client of the cohort has a finite update; choose smaller --lambdas, or look at '
      'the data of device_0, device_1.',
    )
    self.assertIn('non_iid, lg_fedavg, lambda 1e+30, seed 5 diverged', logs.output[-1])
    self.assertEqual([run.left_out for run in runs], [0, 0, 2, 0, 2])
    for run in runs:
      self.assertLen(run.test_by_round, 2 if run.diverged else 3)
      for rows in (*run.train, *run.test):
        self.assertEqual(np.isnan(rows.probability).all(), bool(run.diverged))
      for one, same in zip(run.test_by_round[0], runs[1].test_by_round[0], strict=True):
        if run.method == 'fedavg':
          np.testing.assert_array_equal(one.probability, same.probability)

  def test_weights_that_are_not_finite_end_the_rounds(self):
    train = [learning.ClientTensors(np.ones((4, 36), np.float32), np.zeros((4, 3), np.int32))] * 2
    fedavg = fair_network.Networks(_SMALL, 36).build_process('fedavg', 0.0)
    start = [[np.full_like(w, 3e38) for w in fedavg.model.initial_weights]] * 2
    (_, (weights, _)), diverged = fair._run_rounds(fedavg, start, train, 3, range(1, 9))
    self.assertTrue(np.isnan(weights[0][0]).all())
    self.assertRegex(diverged, 'Round 2: .* finite')


class PaperTest(absltest.TestCase):
  def test_fedavg_of_the_paper(self):
    config = dataclasses.replace(
      _SMALL,
      methods=('fedavg',),
      seeds=(5,),
      hidden_units=(8, 8, 8),
      adversary_dropout_rate=0.2,
      pretrain_epochs=0,
      rounds=1,
      client_epochs=2,
    )
    runs = _run(config)
    self.assertLen(runs, config.num_runs)
    self.assertEqual([(run.method, run.strength) for run in runs], [('fedavg', 0), ('fedavg', 2)])
    for run in runs:
      self.assertEqual(run.test[0].h.shape[1], 8)
      self.assertTrue(np.isfinite(run.test[0].guesses).all())
    once, other = (
      next(fair.run_fair(dataclasses.replace(config, **changes)))
      for changes in ({'client_epochs': 1}, {'adversary_dropout_rate': 0.0})
    )
    for changed, name in ((once, 'probability'), (other, 'guesses')):
      values = [getattr(run.test[0], name) for run in (runs[0], changed)]
      self.assertFalse(np.array_equal(*values), name)
    # The adversary that only listens changes nothing else.
    np.testing.assert_array_equal(other.test[0].probability, runs[0].test[0].probability)


class SplitTest(absltest.TestCase):
  def test_adversary_is_global_with_fedavg_alone(self):
    networks = fair_network.Networks(_SMALL, 36)
    for method, split in fair_network.SPLITS.items():
      model, adversary = networks.build_model(0, 0.0, split)
      global_names, _ = model.split(model.weight_names)
      is_global = set(adversary.own_weights) <= set(global_names)
      self.assertEqual(is_global, method == 'fedavg')
      self.assertIsInstance(adversary, models.Adversary)


if __name__ == '__main__':
  absltest.main()
