"""Tests of the sentences on own models."""

import dataclasses

from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis import opponent

_BEST = {
  'own_models/budget': 'best',
  'own_models/epochs/median_over_clients': 32.5,
  'own_models/epochs/most': 200,
  'own_models/network/num_clients': 3,
  'own_models/network/learning_rate': 0.15,
  'own_models/network/learning_rate/tried': '0.05, 0.15, 0.45',
  'own_models/linear/num_clients': 17,
  'own_models/linear/C': 10.0,
  'own_models/linear/C/tried': '1, 10, 100',
}


def _sentences(of_own, **changes):
  own = dataclasses.replace(testing.make_run(), method='local_only', summary=of_own)
  return opponent.opponent_sentences(
    dataclasses.replace(testing.make_run(**changes), baselines={'local_only': own})
  )


class OpponentSentencesTest(absltest.TestCase):
  def test_trained_to_the_best(self):
    self.assertEqual(
      _sentences(_BEST),
      (
        "Own models: each client's best on its validation data, trained alone until it no longer "
        "improved: the run's network for 3 clients (32.5 epochs (median) of at most 200, learning "
        'rate 0.15 of 0.05, 0.15, 0.45); logistic regression for 17 clients (C 10 of 1, 10, 100).',
      ),
    )

  def test_says_how_many_reached_the_last_epoch(self):
    (sentence,) = _sentences({**_BEST, 'own_models/still_improving/num_clients': 2})
    self.assertIn(
      '(32.5 epochs (median) of at most 200, after which 2 still improved, learning rate 0.15 of ',
      sentence,
    )

  def test_trained_with_the_cohorts(self):
    start = 'Own models: trained only in the rounds in which their client was sampled '
    summary = {
      'own_models/budget': 'cohort',
      'own_models/epochs/median_over_clients': 5.0,
      'own_models/still_improving/num_clients': 2,
    }
    (sentence,) = _sentences(summary)
    self.assertEqual(
      sentence,
      f'{start}(--local_budget=cohort), 5 epochs (median); 2 with fewer than 20 still improved.',
    )
    # As runs before this option have it.
    self.assertEqual(_sentences({}), (f'{start}(--local_budget=cohort).',))

  def test_tuned_learning_rate(self):
    tuned = {'tuning/client_learning_rate': 0.15, 'tuning/tried': '0.05, 0.15, 0.45'}
    self.assertEqual(
      _sentences({}, summary=tuned)[1],
      'Learning rate of LG-FedAvg: 0.15, chosen on validation data out of 0.05, 0.15, 0.45.',
    )

  def test_without_own_models(self):
    self.assertEqual(opponent.opponent_sentences(testing.make_run()), ())


if __name__ == '__main__':
  absltest.main()
