"""Tests of the generated corpus with moods: its sizes, and that its device variance is known."""

import numpy as np
from absl.testing import absltest, parameterized
from scipy import special, stats

from tff_lg.data import mood_corpus

_SIGNALS = np.array(mood_corpus._SIGNALS)


def _fit_values(of_user):
  """Fits values of the signals by least squares, from the formula of the module."""
  counts = np.array([[text.split().count(signal) for signal in _SIGNALS] for text in of_user.texts])
  weights = np.sqrt(0.9) * counts / np.sqrt((counts**2).sum(axis=1, keepdims=True))
  return np.linalg.lstsq(weights, special.ndtri(of_user.scores / 100), rcond=None)[0]


class MoodCorpusTest(parameterized.TestCase):
  def test_sizes_of_the_paper(self):
    users = mood_corpus.generate_scored_texts()
    self.assertEqual((len(users), min(users), max(users)), (14, 'user_00', 'user_13'))
    sizes = [len(of_user.texts) for of_user in users.values()]
    self.assertEqual(sum(sizes), 572)
    self.assertGreaterEqual(min(sizes), 10)
    for of_user in users.values():
      self.assertEqual(of_user.scores.shape, (len(of_user.texts),))
      self.assertTrue(((of_user.scores > 0) & (of_user.scores < 100)).all())
      self.assertTrue(all(len(text.split()) == 8 for text in of_user.texts))

  @parameterized.parameters(0.0, 0.25, 1.0)
  def test_device_variance(self, device_variance):
    users = mood_corpus.generate_scored_texts(40, 40 * 500, device_variance)
    values = np.array([_fit_values(of_user) for of_user in users.values()])
    # The median over words, as a few hardly come in some user's texts.
    between = np.median(values.var(axis=0, ddof=1))
    self.assertAlmostEqual(between, device_variance, delta=0.1 * device_variance + 0.03)

  def test_scores_are_uniform_over_draws_of_the_values(self):
    first = [
      of_user.scores[0]
      for seed in range(60)
      for of_user in mood_corpus.generate_scored_texts(2, 20, 1.0, seed).values()
    ]
    self.assertGreater(stats.kstest(np.array(first) / 100, 'uniform').pvalue, 0.01)

  def test_only_the_scores_depend_on_the_device_variance(self):
    one, other = (mood_corpus.generate_scored_texts(2, 30, d)['user_1'] for d in (0.1, 0.9))
    self.assertEqual(one.texts, other.texts)
    self.assertFalse(np.array_equal(one.scores, other.scores))

  def test_seed(self):
    one, same, other = (mood_corpus.generate_scored_texts(2, 30, seed=s) for s in (0, 0, 1))
    self.assertEqual(one['user_0'].texts, same['user_0'].texts)
    np.testing.assert_array_equal(one['user_0'].scores, same['user_0'].scores)
    self.assertNotEqual(one['user_0'].texts, other['user_0'].texts)


if __name__ == '__main__':
  absltest.main()
