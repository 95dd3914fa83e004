"""Tests of digits as embeddings."""

from absl.testing import absltest

from tff_lg import embeddings


class LoadDigitsTest(absltest.TestCase):
  def test_pixels_of_both_splits(self):
    digits = embeddings.load_digits()
    self.assertEqual(digits.x.shape, (1797, 64))
    self.assertLen(digits.class_names, 10)
    self.assertEqual(set(digits.split), {'train', 'test'})
    self.assertLen(set(digits.ids), 1797)


if __name__ == '__main__':
  absltest.main()
