"""Tests of what sentences take from errors, and of what they list."""

from absl.testing import absltest

from tff_lg import errors


class FirstLineTest(absltest.TestCase):
  def test_pages_are_left_out(self):
    error = ValueError('\n  first line \nand pages of others')
    self.assertEqual(errors.first_line(error), 'first line')
    self.assertEqual(errors.describe(error), 'ValueError: first line')

  def test_no_message(self):
    self.assertEqual(errors.first_line(KeyError()), 'KeyError')
    self.assertEqual(errors.describe(KeyError()), 'KeyError: no message')


class ListSomeTest(absltest.TestCase):
  def test_many_are_counted(self):
    self.assertEqual(errors.list_some(['a']), 'a')
    self.assertEqual(errors.list_some(list('abc'), most=3), 'a, b, c')
    self.assertEqual(errors.list_some(list('abcde'), '; ', most=3), 'a; b; c; and 2 more')


if __name__ == '__main__':
  absltest.main()
