"""Tests of what is said of a run's goals."""

from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis import goals


class GoalSentencesTest(absltest.TestCase):
  def test_a_sentence_a_goal(self):
    reached = {
      'rounds_to/0.97/local_test/accuracy/pooled': 1234.56,
      'parameters_to/0.97/local_test/accuracy/pooled': 1000.0,
      'bytes_to/0.97/local_test/accuracy/pooled': 4000.0,
    }
    run = testing.make_run(
      method='fedavg',
      hparams={'goal_accuracy': [0.97, 0.995]},
      summary=reached,
      baselines={'local_only': testing.make_local_only()},
    )
    self.assertEqual(
      goals.goal_sentences(run),
      (
        '97 % pooled local test accuracy: FedAvg after 1,234.6 rounds (1,000 parameters, 4.0 kB); '
        'Local only not reached.',
        '99.5 % pooled local test accuracy: FedAvg not reached; Local only not reached.',
      ),
    )

  def test_no_goal(self):
    for hparams in ({}, {'goal_accuracy': None}, {'goal_accuracy': []}):
      self.assertEqual(goals.goal_sentences(testing.make_run(hparams=hparams)), ())


if __name__ == '__main__':
  absltest.main()
