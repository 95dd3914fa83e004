"""Tests of texts in CSV files."""

from absl.testing import absltest, parameterized

from tff_lg import csv_text


class CsvTextTest(parameterized.TestCase):
  @parameterized.parameters(
    ('=cmd|x', "'=cmd|x"),
    ('+1', "'+1"),
    ('-1', "'-1"),
    ('@a', "'@a"),
    ('\ta', "'\ta"),
    ('\n=cmd', "'\n=cmd"),
    ("'=a", "''=a"),
    ('a=b', 'a=b'),
    ("'quoted'", "'quoted'"),
    ('', ''),
    ("'", "'"),
  )
  def test_comes_back(self, text, escaped):
    self.assertEqual(csv_text.escape(text), escaped)
    self.assertEqual(csv_text.unescape(escaped), text)


if __name__ == '__main__':
  absltest.main()
