"""Tests of what is said of clients held out of training."""

from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis import held_out


class HeldOutSentencesTest(absltest.TestCase):
  def test_sentence(self):
    summary = {
      'held_out/num_clients': 20,
      'held_out/local_test/accuracy/mean_over_clients': 0.712,
      'held_out/local_test/accuracy/std_over_clients': 0.031,
    }
    self.assertEqual(
      held_out.held_out_sentences(testing.make_run(summary=summary)),
      ('20 held-out clients, which training never saw: local test accuracy 71.20 ± 3.10 %.',),
    )

  def test_nobody_was_held_out(self):
    self.assertEqual(held_out.held_out_sentences(testing.make_run(summary={})), ())


if __name__ == '__main__':
  absltest.main()
