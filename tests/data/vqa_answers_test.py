"""Tests of how answers are written alike."""

import doctest

from absl.testing import absltest, parameterized

from tff_lg.data import vqa_answers


class NormaliseAnswerTest(parameterized.TestCase):
  @parameterized.parameters(
    ('Yes', 'yes'),
    (' a  red\tball\n', 'red ball'),
    ('The', ''),
    ('an apple and the pear', 'apple and pear'),
    ('Two', '2'),
    ('none', '0'),
    ('eleven', 'eleven'),
    # A sign between letters becomes a space, one beside a space goes.
    ('black/white', 'black white'),
    ('black / white', 'black white'),
    ('t-shirt', 't shirt'),
    ('yes, it is', 'yes it is'),
    # With a comma between digits all signs go.
    ('1,000', '1000'),
    ('1,000-2,000', '10002000'),
    ('2.5', '2.5'),
    ('no.', 'no'),
    ('.5', '.5'),
    ('dont know', "don't know"),
    ("couldn'tve", "couldn'tve"),
    ("couldnt've", "couldn't've"),
    ("it's", "it's"),
  )
  def test_by_hand(self, given, written):
    self.assertEqual(vqa_answers.normalise_answer(given), written)
    self.assertEqual(vqa_answers.normalise_answer(written), written)

  def test_list_is_written_alike(self):
    path = self.create_tempfile(content='Two\n2\nthe\nA dog!\nyes\n').full_path
    self.assertEqual(vqa_answers.read_answers(path), ['2', 'dog', 'yes'])

  def test_list_without_answers(self):
    path = self.create_tempfile(content='the\n?\n').full_path
    with self.assertRaisesRegex(ValueError, 'articles and signs only found, expected answers'):
      vqa_answers.read_answers(path)

  def test_docstring(self):
    finder = doctest.DocTestFinder()
    wrapped = vqa_answers.normalise_answer.__wrapped__
    (test,) = finder.find(wrapped, globs=vars(vqa_answers))
    self.assertEqual(doctest.DocTestRunner().run(test), (0, 1))


if __name__ == '__main__':
  absltest.main()
