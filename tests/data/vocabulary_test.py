"""Tests of tokens and vocabularies, by hand."""

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg.data import examples, vocabulary


class TokenizerTest(parameterized.TestCase):
  @parameterized.parameters(
    ("O'er the hill, 'tis gone!", ["o'er", 'the', 'hill', ',', "'", 'tis', 'gone', '!']),
    ('Nay--answer me: 1,000', ['nay', '-', '-', 'answer', 'me', ':', '1', ',', '000']),
    ('L’été  à Ümit\t', ['l’été', 'à', 'ümit']),
    ('  ', []),
  )
  def test_words(self, line, expected):
    self.assertEqual(vocabulary.words(line), expected)

  def test_characters_keep_case_and_spaces(self):
    self.assertEqual(vocabulary.characters('A b'), ['A', ' ', 'b'])


class VocabularyTest(parameterized.TestCase):
  def test_most_frequent_then_alphabet(self):
    texts = [['b', 'a', '\n', 'c', 'c', '\n'], ['d', 'c', 'a', '\n']]
    known = vocabulary.build_vocabulary(texts)
    self.assertEqual(known, ('<pad>', '<unk>', '\n', 'c', 'a', 'b', 'd'))
    self.assertEqual(vocabulary.build_vocabulary(texts, 5), known[:5])

  def test_text_that_spells_a_special_token_gets_no_second_id(self):
    self.assertLen(vocabulary.build_vocabulary([['<unk>', 'a', '<pad>']]), 4)

  def test_ids_of_the_special_tokens(self):
    known = vocabulary.build_vocabulary([])
    self.assertEqual(known[vocabulary.PADDING], '<pad>')
    self.assertEqual(known[vocabulary.UNKNOWN], '<unk>')
    self.assertEqual(known[vocabulary.END_OF_LINE], '\n')

  def test_read_from_a_list(self):
    path = self.create_tempfile(content="b\n!\no'er\n").full_path
    known = vocabulary.read_vocabulary(path, vocabulary.words)
    self.assertEqual(known, ('<pad>', '<unk>', '\n', 'b', '!', "o'er"))
    self.assertEqual(vocabulary.read_vocabulary(path, vocabulary.words, 4), known[:4])

  def test_read_characters_with_a_space(self):
    path = self.create_tempfile(content='B\n \n').full_path
    known = vocabulary.read_vocabulary(path, vocabulary.characters)
    self.assertEqual(known[3:], ('B', ' '))

  @parameterized.parameters(
    ('ice cream', 'words', r"'ice cream' found, .* the tokens \['ice', 'cream'\]"),
    ('Ice', 'words', r"'Ice' found, .* the tokens \['ice'\]"),
    ('<unk>', 'words', "'<unk>' found"),
    ('ab', 'characters', "'ab' found"),
  )
  def test_refuses_an_entry_that_is_not_a_token(self, entry, tokenizer, sentence):
    path = self.create_tempfile(content=entry).full_path
    with self.assertRaisesRegex(examples.DataError, sentence):
      vocabulary.read_vocabulary(path, getattr(vocabulary, tokenizer))

  def test_encode(self):
    ids = vocabulary.encode(['a', 'new', '\n'], {'\n': 2, 'a': 3})
    self.assertEqual(ids.dtype, np.int32)
    np.testing.assert_array_equal(ids, [3, 1, 2])


if __name__ == '__main__':
  absltest.main()
