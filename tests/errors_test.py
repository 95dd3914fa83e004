"""Tests of what sentences of errors list."""

from absl.testing import absltest

from tff_lg import errors


class ListSomeTest(absltest.TestCase):
  def test_many_are_counted(self):
    self.assertEqual(errors.list_some(['a']), 'a')
    self.assertEqual(errors.list_some(list('abc'), most=3), 'a, b, c')
    self.assertEqual(errors.list_some(list('abcde'), '; ', most=3), 'a; b; c; and 2 more')


if __name__ == '__main__':
  absltest.main()
