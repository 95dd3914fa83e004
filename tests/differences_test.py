"""Tests of what differs between settings."""

from absl.testing import absltest

from tff_lg import differences


class FindTest(absltest.TestCase):
  def test_settings_that_others_follow_from_are_first(self):
    before = {'a': None, 'b': 2, 'c': 3, 'd': 4, 'e': 5}
    now = {'a': 1, 'b': 2, 'c': 4, 'd': 5, 'f': None}
    found = differences.find(before, now, ('d',))
    self.assertEqual(list(found.items()), [('c', (3, 4)), ('a', (None, 1)), ('e', (5, None))])


if __name__ == '__main__':
  absltest.main()
