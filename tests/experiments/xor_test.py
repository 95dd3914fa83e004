"""Tests of XOR with two clients."""

import dataclasses

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg import simulation, training
from tff_lg.analysis.figures import xor as figures
from tff_lg.experiments import xor

_SMALL = xor.XorConfig(rounds=60, initialisations=2, num_examples=100, noise=0.1, batch_size=10)


def setUpModule():
  simulation.set_execution_context()


class GenerateTest(absltest.TestCase):
  def test_without_noise_by_hand(self):
    up, down = xor.generate(4, 0.0, seed=0)
    np.testing.assert_array_equal(up.x, [[1, 1], [-1, 1], [1, 1], [-1, 1]])
    np.testing.assert_array_equal(up.y, [0, 1, 0, 1])
    np.testing.assert_array_equal(down.x, [[1, -1], [-1, -1], [1, -1], [-1, -1]])
    np.testing.assert_array_equal(down.y, [1, 0, 1, 0])

  def test_noise_moves_no_example_to_another_side(self):
    up, down = xor.generate(1000, 5.0, seed=0)
    self.assertGreater(up.x[:, 1].min(), 0)
    self.assertLess(down.x[:, 1].max(), 0)
    for client in (up, down):
      np.testing.assert_array_equal(client.y, client.x.prod(axis=1) < 0)
      self.assertEqual((client.x.dtype, client.y.dtype), (np.float32, np.int32))

  def test_seed_decides(self):
    np.testing.assert_array_equal(xor.generate(5, 1.0, 3)[0].x, xor.generate(5, 1.0, 3)[0].x)
    self.assertFalse(np.array_equal(xor.generate(5, 1.0, 3)[0].x, xor.generate(5, 1.0, 4)[0].x))


class BuildModelTest(absltest.TestCase):
  def test_sizes_and_split(self):
    # 2 * 2 + 2 and 2 * 2 + 2; the unit 2 * 2 + 2 and 2 + 2, and two clients' shifts or one's.
    for name, conditioning, parameters, local in (
      ('mlp', 'shared', 12, 0),
      ('cgau', 'shared', 14, 0),
      ('cgau', 'local', 12, 2),
    ):
      model = xor.build_model(name, conditioning, seed=0)
      self.assertEqual(sum(w.size for w in model.initial_weights), parameters)
      self.assertEqual(sum(w.size for w in model.split(model.initial_weights)[1]), local)


class RunXorTest(parameterized.TestCase):
  @parameterized.parameters('shared', 'local')
  def test_one_gated_unit_solves_it_and_the_figures_formulas_agree(self, conditioning):
    config = dataclasses.replace(_SMALL, conditioning=conditioning, seed=1)
    result = xor.run_xor(config)
    chosen = result.trained['cgau'][0]
    self.assertEqual(chosen.test_accuracy, (1.0, 1.0))
    unit = figures.GatedUnit.from_weights(chosen.weights)
    mlp = result.trained['mlp'][0]
    for client, data in enumerate(result.test):
      predicted = unit.probability(data.x, np.full(len(data.x), client)) > 0.5
      self.assertEqual(np.mean(predicted == data.y), chosen.test_accuracy[client])
      predicted = figures.mlp_probability(mlp.weights[client], data.x) > 0.5
      self.assertAlmostEqual(np.mean(predicted == data.y), mlp.test_accuracy[client], places=6)
    for tried in result.trained.values():
      self.assertLen(tried, 2)
      self.assertLessEqual(tried[0].train_loss, tried[1].train_loss)

  def test_same_seed_same_bits(self):
    one, other = (xor.run_xor(dataclasses.replace(_SMALL, rounds=2)) for _ in range(2))
    self.assertEqual(one.summary(), other.summary())
    for a, b in zip(one.trained['cgau'], other.trained['cgau'], strict=True):
      for name, weight in a.weights[0].items():
        np.testing.assert_array_equal(weight, b.weights[0][name])

  def test_training_that_diverges_ends(self):
    config = dataclasses.replace(_SMALL, learning_rate=1e38)
    with self.assertRaisesRegex(training.DivergenceError, 'Round .* finite'):
      xor.run_xor(config)

  def test_summary_and_text_by_hand(self):
    def trained(train_accuracy, *test_accuracy):
      return xor.TrainedModel(({}, {}), 0.25, train_accuracy, test_accuracy)

    result = xor.XorResult(
      (),
      (),
      {'mlp': (trained(0.75, 1.0, 0.5),), 'cgau': (trained(1.0, 1.0, 1.0), trained(0.9, 1, 1))},
    )
    summary = result.summary()
    self.assertEqual(summary['mlp/local_test/accuracy/up'], 1.0)
    self.assertEqual(summary['mlp/local_test/accuracy/down'], 0.5)
    self.assertEqual(summary['mlp/local_test/accuracy/pooled'], 0.75)
    self.assertEqual(summary['mlp/initialisations_solved'], 0)
    self.assertEqual(summary['cgau/initialisations'], 2)
    self.assertEqual(summary['cgau/initialisations_solved'], 1)
    lines = result.as_text().splitlines()
    self.assertStartsWith(lines[0], 'MLP, two hidden units  test accuracy: up 1.000   down 0.500')
    self.assertEndsWith(lines[1], 'pooled 1.000   solved from 1 of 2 initialisations')

  @parameterized.parameters(
    ({'conditioning': 'none'}, '--conditioning is none, expected shared or local'),
    ({'rounds': 0}, '--rounds is 0, expected at least 1'),
    ({'noise': -0.5}, '--noise is -0.5, expected at least 0'),
  )
  def test_refuses(self, changes, sentence):
    with self.assertRaisesRegex(ValueError, sentence):
      xor.XorConfig(**changes)


if __name__ == '__main__':
  absltest.main()
