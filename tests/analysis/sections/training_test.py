"""Tests of the section on training."""

from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis.sections import training


class TrainingTest(absltest.TestCase):
  def test_clients_left_out(self):
    metrics = testing.make_run().metrics.assign(**{'train/num_clients_left_out': [0, 2, 1]})
    section = training.build_training(testing.make_run(metrics=metrics))
    self.assertIn('3 client updates in 2 rounds were not finite', section.html)

  def test_nobody_left_out(self):
    section = training.build_training(testing.make_run())
    self.assertEqual(section.html, '')
    self.assertEndsWith(section.illustrations[0].caption, 'Shaded: the warm start.')

  def test_early_stopping(self):
    changes = {'hparams': {'early_stopping_rounds': 5}}
    for saved, sentence in (
      (7, 'Early stopping saved 7 of 10 rounds: on validation data the mean'),
      (0, 'Early stopping saved no round: all 3 were run.'),
    ):
      summary = {'early_stopping/rounds_saved': saved}
      section = training.build_training(testing.make_run(summary=summary, **changes))
      self.assertIn(sentence, section.html)

  def test_goals(self):
    for goal, told in (
      ('validation/accuracy>=0.9', 'validation/accuracy&gt;=0.9'),
      ('goal_accuracy', 'goal_accuracy=0.5,0.97'),
    ):
      hparams = {'rounds_until': goal, 'goal_accuracy': [0.5, 0.97]}
      for is_reached, how in ((1, 'as it was reached'), (0, 'before it was reached')):
        summary = {'rounds_until/is_reached': is_reached}
        html = training.build_training(testing.make_run(hparams=hparams, summary=summary)).html
        sentence = f'The goal of the rounds of the method was {told}. Round 3 ended it, {how}.'
        self.assertIn(sentence, html)

  def test_no_round(self):
    run = testing.make_run(metrics=testing.make_run().metrics.iloc[:0])
    self.assertIsNone(training.build_training(run))


if __name__ == '__main__':
  absltest.main()
