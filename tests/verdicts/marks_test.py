"""Tests for tff_lg.verdicts.marks."""

import numpy as np
import pandas as pd
from absl.testing import absltest, parameterized

from tff_lg import verdicts


class MarksTest(parameterized.TestCase):
  @parameterized.parameters(([True, False, False, True], '1001'), ([], ''))
  def test_there_and_back(self, correct, marks):
    self.assertEqual(verdicts.to_marks(np.array(correct, bool)), marks)
    np.testing.assert_array_equal(verdicts.from_marks(marks), correct)

  def test_a_client_without_a_model_has_no_marks(self):
    np.testing.assert_array_equal(verdicts.from_marks(None), [])

  def test_judges_clients_that_have_both(self):
    marks = pd.Series(['1' * 8, '10', None, '11'], index=['a', 'b', 'c', 'd'])
    other = pd.Series(['0' * 8, '10', '11', np.nan], index=['a', 'b', 'c', 'd'])
    table = verdicts.judge_marks(marks, other)
    self.assertEqual(list(table.index), ['a', 'b', 'c', 'd'])
    self.assertEqual(list(table['num_examples']), [8, 2, 0, 0])
    self.assertEqual(list(table['verdict']), ['better', *['cannot tell'] * 3])

  def test_other_examples_are_refused(self):
    with self.assertRaisesRegex(ValueError, 'expected those of the same test examples'):
      verdicts.judge_marks(pd.Series(['11']), pd.Series(['1']))

  def test_judges_values_of_examples(self):
    texts = [verdicts.to_values(np.array(of)) for of in ([0.1] * 8, [0.25, 1e-9], [1.0])]
    np.testing.assert_array_equal(verdicts.from_values(texts[1]), [0.25, 1e-9])
    values = pd.Series([*texts, None], list('abcd'))
    other = pd.Series(
      [verdicts.to_values(0.5 + 0.01 * np.arange(8)), *texts[1:], '1'], list('abcd')
    )
    judged = verdicts.judge_values(values, other)
    self.assertEqual(list(judged['verdict']), ['better'] + ['cannot tell'] * 3)
    # All errors of client a are smaller: of 2^8 sign flips two are as extreme.
    self.assertAlmostEqual(judged['p_value']['a'], 2 / 2**8)
    self.assertAlmostEqual(judged['difference']['a'], 0.435)
    judged = verdicts.judge_values(values, other, more_is_better=True)
    self.assertEqual(judged['verdict']['a'], 'worse')
    self.assertEqual(
      verdicts.summarize(judged, seed=0), {'num_better': 0, 'num_worse': 1, 'num_cannot_tell': 2}
    )

  def test_summary(self):
    marks = pd.Series(['1' * 9, '0' * 9, '10' * 4, None] * 4)
    other = pd.Series(['0' * 9, '1' * 9, '01' * 4, '1'] * 4)
    summary = verdicts.summarize(verdicts.judge_marks(marks, other), seed=0)
    numbers = [summary[f'num_{name}'] for name in ('better', 'worse', 'cannot_tell')]
    self.assertEqual(numbers, [4, 4, 4])
    self.assertAlmostEqual(summary['share_truly_worse'], 0.5, 3)
    self.assertBetween(0.5, summary['share_truly_worse/low'], summary['share_truly_worse/high'])

  def test_few_clients_have_no_share(self):
    summary = verdicts.summarize(verdicts.judge_marks(pd.Series(['1']), pd.Series(['0'])), seed=0)
    self.assertEqual(summary, {'num_better': 0, 'num_worse': 0, 'num_cannot_tell': 1})


if __name__ == '__main__':
  absltest.main()
