"""Tests of flipped labels."""

import numpy as np
from absl.testing import absltest

from tff_lg import attacks


class LabelFlipTest(absltest.TestCase):
  def test_labels_are_mirrored(self):
    attack = attacks.label_flip()
    x, y = np.ones([5, 2], np.float32), np.array([0, 1, 2, 3, 4], np.int32)
    new_x, new_y = attack.poison(x, y, 5, np.random.default_rng(0))
    np.testing.assert_array_equal(new_y, [4, 3, 2, 1, 0])
    self.assertEqual(new_y.dtype, np.int32)
    np.testing.assert_array_equal(new_x, x)
    np.testing.assert_array_equal(y, [0, 1, 2, 3, 4])
    self.assertIsNone(attack.update_attack)


if __name__ == '__main__':
  absltest.main()
