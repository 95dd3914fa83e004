"""Tests that the garbage collector runs rarely until a run begins, and then beside the modules."""

import gc

from absl.testing import absltest

from tff_lg import garbage


class GarbageTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self._usual = gc.get_threshold()
    self.addCleanup(gc.set_threshold, *self._usual)
    self.addCleanup(gc.unfreeze)
    garbage.set_aside.cache_clear()
    self.addCleanup(garbage.set_aside.cache_clear)

  def test_rarely_until_objects_are_set_aside(self):
    gc.unfreeze()
    garbage.collect_rarely()
    self.assertGreater(gc.get_threshold()[0], 100 * garbage._USUAL[0])
    garbage.set_aside()
    self.assertEqual(gc.get_threshold(), garbage._USUAL)
    self.assertGreater(gc.get_freeze_count(), 10_000)

  def test_once_in_a_process(self):
    garbage.set_aside()
    gc.unfreeze()
    garbage.set_aside()
    self.assertEqual(gc.get_freeze_count(), 0)

  def test_thresholds_of_the_user_stay(self):
    gc.set_threshold(123, 4, 5)
    garbage.set_aside()
    self.assertEqual(gc.get_threshold(), (123, 4, 5))


if __name__ == '__main__':
  absltest.main()
