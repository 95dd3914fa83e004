"""Tests of seeds by purpose."""

import numpy as np
from absl.testing import absltest

from tff_lg import seeds
from tff_lg.seeds import Purpose


class SeedsTest(absltest.TestCase):
  def test_seeds_are_what_they_always_were(self):
    # A change of these numbers changes the meaning of every published seed.
    self.assertEqual(seeds.derive_seed(0, Purpose.PARTITION), 1_878_776_328)
    self.assertEqual(seeds.derive_seed(7, Purpose.INITIALISATION), 1_915_825_222)
    np.testing.assert_array_equal(
      seeds.tensor_seed(7, Purpose.SHUFFLING, 3, 5), [818055513, -1008730906]
    )
    self.assertEqual([purpose.value for purpose in Purpose], list(range(15)))

  def test_every_seed_purpose_and_path_has_draws_of_its_own(self):
    arguments = [
      (seed, purpose, *path)
      for seed in range(5)
      for purpose in Purpose
      for path in ((), (0,), (1,), (0, 0), (0, 1), (1, 0))
    ]
    self.assertLen({seeds.derive_seed(*of) for of in arguments}, len(arguments))
    self.assertLen({tuple(seeds.tensor_seed(*of)) for of in arguments}, len(arguments))

  def test_ranges(self):
    for client in range(200):
      self.assertBetween(seeds.derive_seed(1, Purpose.NOISE, client), 0, 2**31 - 1)
    draws = [seeds.tensor_seed(1, Purpose.NOISE, client) for client in range(200)]
    self.assertEqual({(draw.dtype, draw.shape) for draw in draws}, {(np.dtype(np.int32), (2,))})
    self.assertLess(np.min(draws), -(2**30))
    self.assertGreater(np.max(draws), 2**30)


if __name__ == '__main__':
  absltest.main()
