"""Tests of reading the official files of VQA."""

import codecs
import json
import pathlib
from unittest import mock

from absl.testing import absltest, parameterized

from tests.data import vqa_testing
from tff_lg.data import bounded, examples, vqa_files

_ROWS = [
  (7, 42, 'What is it?', ['cat'] * 6 + ['Dog'] * 4),
  (8, 42, 'Is it red?', ['yes'] * 10),
]


class ReadQuestionsTest(parameterized.TestCase):
  def test_parts(self):
    folder = vqa_testing.write_files(self.create_tempdir().full_path, _ROWS, _ROWS[1:])
    train = vqa_files.read_questions(folder, 'train')
    # Annotations are found by the question, whatever their order.
    self.assertEqual(train.texts.tolist(), ['What is it?', 'Is it red?'])
    self.assertEqual(train.pictures.tolist(), [42, 42])
    self.assertEqual(train.answers[0].tolist(), ['cat'] * 6 + ['Dog'] * 4)
    self.assertEqual(train.answers[1].tolist(), ['yes'] * 10)
    self.assertEqual(vqa_files.read_questions(folder, 'test').texts.tolist(), ['Is it red?'])

  @parameterized.parameters(
    ('v2_OpenEnded_mscoco_val2014_questions.json', None, r'0 files \*val\*_questions.json found'),
    ('v1_val_annotations.json', '{}', r'2 files \*val\*_annotations.json found'),
    ('v2_mscoco_val2014_annotations.json', '{', 'cannot be read as JSON with a list of annotat'),
    ('v2_mscoco_val2014_annotations.json', '{}', 'cannot be read as JSON with a list of annotat'),
    ('v2_mscoco_val2014_annotations.json', '[' * 100_000, 'cannot be read as JSON .*Recursion'),
    ('v2_mscoco_val2014_annotations.json', '{"annotations": []}', 'each with question_id, answers'),
    (
      'v2_OpenEnded_mscoco_val2014_questions.json',
      '{"questions": [{"question_id": 1}]}',
      'expected questions, each with question_id, image_id, question',
    ),
    (
      'v2_OpenEnded_mscoco_val2014_questions.json',
      '{"questions": [{"question_id": 9, "image_id": 1, "question": "?"}]}',
      'val2014_annotations.json: question 9 has 0 answers, expected 10',
    ),
    *(
      (
        'v2_OpenEnded_mscoco_val2014_questions.json',
        json.dumps({'questions': [{'question_id': question, 'image_id': image, 'question': text}]}),
        sentence,
      )
      for question, image, text, sentence in (
        (8, 'x', '?', "questions.json: image_id is 'x', expected a whole number"),
        (8, 12.7, '?', 'image_id is 12.7, expected a whole number'),
        (8, True, '?', 'image_id is True, expected a whole number'),
        (8, 2**63, '?', 'an image_id is out of range, expected 64 bits'),
        ([8], 1, '?', r'question_id is \[8\], expected a whole number'),
        (8, 1, None, 'question is None, expected text'),
      )
    ),
    (
      'v2_OpenEnded_mscoco_val2014_questions.json',
      '{"questions": {"question_id": 1}}',
      'each with',
    ),
    ('v2_OpenEnded_mscoco_val2014_questions.json', '{"questions": [8]}', 'each with question_id'),
    *(
      (
        'v2_mscoco_val2014_annotations.json',
        json.dumps({'annotations': [{'question_id': question, 'answers': answers}]}),
        sentence,
      )
      for question, answers, sentence in (
        (7, {'answer': 'a'}, 'answers is .*, expected a list'),
        ([7], [], r'annotations.json: question_id is \[7\], expected a whole number'),
        (7, [{'answer': 2}, {'answer': None}, 3], 'question 7 has 0 answers, expected 10 texts'),
      )
    ),
  )
  def test_refuses(self, name, content, sentence):
    folder = vqa_testing.write_files(self.create_tempdir().full_path, _ROWS, _ROWS)
    path = pathlib.Path(folder, name)
    path.unlink(missing_ok=True)
    if content is not None:
      path.write_text(content, encoding='utf-8')
    with self.assertRaisesRegex(examples.DataError, sentence):
      vqa_files.read_questions(folder, 'test')

  def test_refuses_what_is_too_large(self):
    folder = vqa_testing.write_files(self.create_tempdir().full_path, _ROWS, _ROWS)
    self.enter_context(mock.patch.object(bounded, 'room', lambda: 10))
    with self.assertRaisesRegex(examples.DataError, 'questions.json: .*memory'):
      vqa_files.read_questions(folder, 'test')

  def test_begins_with_a_byte_order_mark(self):
    folder = vqa_testing.write_files(self.create_tempdir().full_path, _ROWS, _ROWS)
    path = vqa_files.find_files(folder, 'test')[0]
    expected = vqa_files.read_questions(folder, 'test').texts.tolist()
    path.write_bytes(codecs.BOM_UTF8 + path.read_bytes())
    self.assertEqual(vqa_files.read_questions(folder, 'test').texts.tolist(), expected)


if __name__ == '__main__':
  absltest.main()
