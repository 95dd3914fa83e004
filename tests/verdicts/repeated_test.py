"""Tests of verdicts over seeds, and of the split of variance, by hand."""

import numpy as np
from absl.testing import absltest

from tff_lg import verdicts


class JudgeRepeatedTest(absltest.TestCase):
  def test_for_one_seed_it_is_mcnemars(self):
    right, other = np.array([[1, 1, 1, 1, 1, 1, 0.0]]), np.array([[0, 0, 0, 0, 0, 0, 0.0]])
    table = verdicts.judge_repeated([right], [other])
    self.assertAlmostEqual(table['p_value'][0], 0.5**6)
    self.assertEqual(table['verdict'][0], 'better')
    self.assertTrue(np.isnan(table['std_over_seeds'][0]))

  def test_an_example_counts_once_whatever_the_seeds(self):
    # One example won and three equal, with all of 20 seeds: 20 wins if each were an example.
    right, other = (np.tile(row, (20, 1)) for row in ([1.0, 1, 0, 0], [0.0, 1, 0, 0]))
    table = verdicts.judge_repeated([right], [other])
    self.assertEqual(table['num_examples'][0], 4)
    self.assertEqual(table['difference'][0], 0.25)
    self.assertEqual(table['p_value'][0], 1.0)
    self.assertEqual(table['std_over_seeds'][0], 0.0)

  def test_the_mean_over_seeds_is_judged(self):
    # Examples gain 0.5 and 1: of four sign flips two sum to 1.5 either way.
    right, other = np.array([[1.0, 1], [0, 1]]), np.zeros((2, 2))
    table = verdicts.judge_repeated([right], [other])
    self.assertEqual(table['difference'][0], 0.75)
    self.assertEqual(table['p_value'][0], 0.5)
    # Differences are 1 and 0.5 with the two seeds.
    self.assertAlmostEqual(table['std_over_seeds'][0], 0.125**0.5)

  def test_less_can_be_better(self):
    table = verdicts.judge_repeated(
      [np.array([[1.0, 2, 3]])],
      [np.array([[2.0, 3, 5]])],
      is_accuracy=False,
      more_is_better=False,
    )
    self.assertAlmostEqual(table['difference'][0], 4 / 3)
    self.assertEqual(table['test'][0], 'sign flips')

  def test_refuses_other_examples(self):
    with self.assertRaisesRegex(ValueError, 'expected those of the same test examples'):
      verdicts.judge_repeated([np.ones((1, 3))], [np.ones((1, 4))])


class SplitVarianceTest(absltest.TestCase):
  def test_two_clients_two_seeds_two_examples(self):
    # Client a: seed 0 has 4 and 2, seed 1 has 8 and 6. Client b: 0 and 0, then 2 and 0.
    scores = [np.array([[4.0, 2], [8, 6]]), np.array([[0.0, 0], [2, 0]])]
    # Means by client and seed: [[3, 7], [0, 1]].
    # Test examples: variances 2, 2 and 0, 2 by run, over 2 examples: mean of 1, 1, 0, 1.
    # Rest of the two-way table: 0.75 in size everywhere: 4 * 0.75^2 / 1 = 2.25.
    # Rest by example: a 0; b 0.5 in size, so 4 * 0.25 / 1 = 1, over 2 examples; mean 0.25.
    # Seeds: means 1.5 and 4 have variance 3.125, less 2.25 / 2.
    # Clients: means 5 and 0.5 have variance 10.125. Examples' means over seeds: 6 and 4, 1 and 0
    # have variances 2 and 0.5, over 2 examples 1 and 0.25: mean 0.625; seeds by client 2 / 2.
    found = verdicts.split_variance(scores)
    self.assertEqual(found.test_examples, 0.75)
    self.assertEqual(found.seeds_by_client, 2.0)
    self.assertEqual(found.seeds, 2.0)
    self.assertEqual(found.clients, 8.5)

  def test_one_seed_and_too_few_clients(self):
    scores = [np.array([[4.0, 2]]), np.array([[0.0, 0]]), np.array([[9.0]])]
    found = verdicts.split_variance(scores)
    # Means 3 and 0 have variance 4.5; of examples there is 2 / 2 and 0.
    self.assertEqual((found.clients, found.test_examples), (4.0, 0.5))
    self.assertTrue(np.isnan(found.seeds) and np.isnan(found.seeds_by_client))
    self.assertTrue(np.isnan(verdicts.split_variance(scores[1:])).all())

  def test_is_unbiased(self):
    rng = np.random.default_rng(0)

    def draw():
      seeds = rng.normal(0, 1, (20, 1))
      return [
        seeds
        + rng.normal(0, 2)
        + rng.normal(0, 0.5, (20, 1))
        + rng.normal(0, 3, (1, 5))
        + rng.normal(0, 1, (20, 5))
        for _ in range(100)
      ]

    found = np.mean([verdicts.split_variance(draw()) for _ in range(40)], axis=0)
    # Of examples (9 + 1) / 5.
    np.testing.assert_allclose(found, (1, 0.25, 4, 2), rtol=0.1)


if __name__ == '__main__':
  absltest.main()
