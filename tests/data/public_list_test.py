"""Tests of lists from files."""

from absl.testing import absltest, parameterized

from tff_lg.data import examples, public_list


class ReadListTest(parameterized.TestCase):
  @parameterized.parameters('b\na\n', 'b\na', 'b\r\na\r\n', 'b\na\nb\n')
  def test_entries_in_their_order(self, content):
    path = self.create_tempfile(content=content).full_path
    self.assertEqual(public_list.read_list(path), ['b', 'a'])

  def test_spaces_are_kept(self):
    path = self.create_tempfile(content='a\n \né b\n').full_path
    self.assertEqual(public_list.read_list(path), ['a', ' ', 'é b'])

  @parameterized.parameters(
    (b'', 'line 1: blank, expected one entry'),
    (b'a\n\nb\n', 'line 2: blank, expected one entry'),
    (b'\xff', 'cannot be read as UTF-8 text'),
  )
  def test_damaged(self, content, sentence):
    path = self.create_tempfile(content=content, mode='wb').full_path
    with self.assertRaisesRegex(examples.DataError, f'{path}.*{sentence}'):
      public_list.read_list(path)

  def test_missing(self):
    path = self.create_tempdir().full_path + '/words.txt'
    with self.assertRaisesRegex(examples.DataError, 'words.txt: cannot be read'):
      public_list.read_list(path)


if __name__ == '__main__':
  absltest.main()
