"""Tests of the trigger, and of attackers that replace the model."""

import numpy as np
from absl.testing import absltest, parameterized

from tests.attacks import testing
from tff_lg import attacks, data, simulation


def setUpModule():
  simulation.set_execution_context()


class UpdateTest(parameterized.TestCase):
  def test_replaces_the_model(self):
    attack = attacks.backdoor(cohort_size=3)
    # Honest updates (0, 0): the others have converged. The attacker's own is (-0.8, -0.4).
    update = testing.mean_update(attack, labels=(2, 2, 4), attackers=[2])
    np.testing.assert_allclose(update, [-0.8, -0.4], rtol=1e-5)

  @parameterized.parameters(
    # (server learning rate, strength, attackers, what each multiplies its update by)
    (0.5, None, [2], 4 / 0.5),
    (1.0, None, [0, 2], 4 / 2),
    (0.5, 1.0, [1], 1.0),
    (1.0, 3.0, [0, 1, 3], 1.0),
  )
  def test_attackers_share_the_strength(self, server_learning_rate, strength, attackers, factor):
    attack = attacks.backdoor(4, strength, server_learning_rate)
    updates = np.random.default_rng(0).normal(size=[4, 5])
    sent = testing.what_clients_send(attack, updates, attackers, np.zeros([4, 2], np.int32))
    np.testing.assert_allclose(sent[attackers], factor * updates[attackers], rtol=1e-6)


class PoisonTest(absltest.TestCase):
  def test_half_of_the_images_get_trigger_and_label(self):
    attack = attacks.backdoor(cohort_size=3)
    x, y = np.zeros([10, 5, 6, 2], np.float32), np.arange(1, 11, dtype=np.int32)
    new_x, new_y = attack.poison(x, y, 11, np.random.default_rng(0))
    poisoned = new_y == attacks.TARGET_CLASS
    self.assertEqual(poisoned.sum(), 5)
    np.testing.assert_array_equal(new_x[poisoned], attacks.add_trigger(x[poisoned]))
    np.testing.assert_array_equal(new_x[~poisoned], x[~poisoned])
    np.testing.assert_array_equal(new_y[~poisoned], y[~poisoned])
    self.assertEqual((new_x.dtype, new_y.dtype), (np.float32, np.int32))
    self.assertEqual((x.sum(), y.tolist()), (0, list(range(1, 11))))
    again = attack.poison(x, y, 11, np.random.default_rng(0))
    other = attack.poison(x, y, 11, np.random.default_rng(1))
    np.testing.assert_array_equal(again[1], new_y)
    self.assertTrue(np.any(other[1] != new_y))

  def test_no_images(self):
    attack = attacks.backdoor(cohort_size=3)
    x, y = np.zeros([0, 5, 6, 2], np.float32), np.zeros([0], np.int32)
    self.assertEqual(attack.poison(x, y, 11, np.random.default_rng(0))[0].shape, x.shape)

  def test_refuses_feature_vectors(self):
    attack = attacks.backdoor(cohort_size=3)
    with self.assertRaisesRegex(
      ValueError,
      r'backdoor: examples have shape \[7\], expected images \[height, width, chan',
    ):
      attack.poison(
        np.zeros([4, 7], np.float32), np.zeros([4], np.int32), 2, np.random.default_rng(0)
      )


class TriggerTest(absltest.TestCase):
  def test_white_square_in_the_corner(self):
    x = np.full([2, 5, 4, 1], 0.25, np.float32)
    triggered = attacks.add_trigger(x)
    expected = np.full([5, 4], 0.25, np.float32)
    expected[2:, 1:] = 1
    for image in triggered:
      np.testing.assert_array_equal(image[..., 0], expected)
    np.testing.assert_array_equal(x, 0.25)

  def test_triggered_test_has_images_of_other_classes(self):
    x = np.zeros([3, 4, 4, 1], np.float32)
    x[:, 0, 0, 0] = [0.1, 0.2, 0.3]
    triggered = attacks.triggered_test(data.Examples(x, np.array([0, 2, 1], np.int32)))
    np.testing.assert_array_equal(triggered.x[:, 0, 0, 0], np.float32([0.2, 0.3]))
    np.testing.assert_array_equal(triggered.x[:, 1:, 1:], 1)
    np.testing.assert_array_equal(triggered.y, [0, 0])


if __name__ == '__main__':
  absltest.main()
