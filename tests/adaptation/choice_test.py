"""Tests of choosing settings and epochs, by hand."""

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg import adaptation

_NAN = float('nan')

# Two settings, three clients, epochs 0 to 2; the third client has no validation data.
_ACCURACY = [
  [[0.5, 0.6, 0.7], [0.8, 0.1, 0.1], [0, 0, 0]],
  [[0.5, 0.9, 0.2], [0.8, 0.8, 0.9], [0, 0, 9]],
]
_NUM_EXAMPLES = [10, 30, 0]


class ChooseTest(parameterized.TestCase):
  def test_per_client_and_globally_where_there_is_nothing_to_choose_by(self):
    choice = adaptation.choose(_ACCURACY, _NUM_EXAMPLES, per_client=True)
    # Means of setting 1: 0.725, 0.825, 0.725.
    np.testing.assert_array_equal(choice.setting, [1, 1, 1])
    np.testing.assert_array_equal(choice.epoch, [1, 2, 1])

  def test_globally(self):
    choice = adaptation.choose(_ACCURACY, _NUM_EXAMPLES, per_client=False)
    np.testing.assert_array_equal(choice.setting, [1, 1, 1])
    np.testing.assert_array_equal(choice.epoch, [1, 1, 1])

  def test_the_mean_is_over_examples_not_clients(self):
    values = [[1.0, 0.0], [0.0, 0.6]]
    for num_examples, setting in ([1, 1], 0), ([1, 3], 1):
      choice = adaptation.choose(values, num_examples, per_client=False)
      np.testing.assert_array_equal(choice.setting, [setting] * 2)
      np.testing.assert_array_equal(choice.epoch, [0, 0])

  def test_pooled_scores_are_what_a_choice_for_all_goes_by(self):
    pooled = adaptation.choose(_ACCURACY, _NUM_EXAMPLES, per_client=True).pooled
    np.testing.assert_allclose(pooled, [[0.725, 0.225, 0.25], [0.725, 0.825, 0.725]])
    of_first = adaptation.choose(
      _ACCURACY,
      _NUM_EXAMPLES,
      per_client=False,
      maximize=False,
      decides_for_all=np.array([True, False, True]),
    )
    np.testing.assert_allclose(of_first.pooled, [[0.5, 0.6, 0.7], [0.5, 0.9, 0.2]])
    without_epochs = adaptation.choose([[0.5, 0.75]], [1, 3], per_client=False)
    np.testing.assert_allclose(without_epochs.pooled, [[0.6875]])

  def test_ties_go_to_the_earliest_epoch_then_to_the_first_setting(self):
    values = [[[0.1, 0.1, 0.9], [0.2, 0.2, 0.2]], [[0.1, 0.9, 0.9], [0.2, 0.2, 0.2]]]
    choice = adaptation.choose(values, [1, 1], per_client=True)
    np.testing.assert_array_equal(choice.setting, [1, 0])
    np.testing.assert_array_equal(choice.epoch, [1, 0])

  def test_a_loss_is_minimized(self):
    choice = adaptation.choose([[3.0, 1.0], [2.0, 5.0]], [1, 1], per_client=True, maximize=False)
    np.testing.assert_array_equal(choice.setting, [1, 0])

  @parameterized.parameters(True, False)
  def test_not_a_number_is_never_better(self, maximize):
    values = [[[_NAN, 0.0, _NAN]], [[_NAN, _NAN, _NAN]]]
    choice = adaptation.choose(values, [4], per_client=True, maximize=maximize)
    np.testing.assert_array_equal((choice.setting, choice.epoch), [[0], [1]])

  def test_some_decide_for_all_and_others_for_themselves(self):
    values = [[1.0, 0.0, 0.5], [0.0, 9.0, 0.5]]
    for num_examples, expected in ([1, 1, 0], [0, 1, 0]), ([1, 0, 0], [0, 0, 0]):
      choice = adaptation.choose(
        values, num_examples, per_client=True, decides_for_all=np.array([True, False, True])
      )
      np.testing.assert_array_equal(choice.setting, expected)
    with self.assertRaisesRegex(ValueError, 'no client has validation examples'):
      adaptation.choose(values, [0, 1, 0], per_client=True, decides_for_all=np.eye(3)[0] > 0)

  def test_clients_without_examples_may_hold_anything(self):
    choice = adaptation.choose([[_NAN, 1.0], [_NAN, 2.0]], [0, 1], per_client=True)
    np.testing.assert_array_equal(choice.setting, [1, 1])

  @parameterized.parameters(
    (np.zeros([2, 3]), [1, 1], r'shape \(2, 3, 1\) and num_examples \(2,\), expected'),
    (np.zeros([3]), [1, 1, 1], r'shape \(3,\) and num_examples \(3,\), expected'),
    (np.zeros([2, 3]), [0, 0, 0], 'no client has validation examples'),
  )
  def test_refuses(self, values, num_examples, sentence):
    with self.assertRaisesRegex(ValueError, sentence):
      adaptation.choose(values, num_examples, per_client=True)


if __name__ == '__main__':
  absltest.main()
