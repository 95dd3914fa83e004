"""Questions about pictures with ten answers each, from the official JSON files of VQA."""

import json
import os
import pathlib
from typing import Any, NamedTuple

import numpy as np

from tff_lg.data import bounded, examples, visible_files, vqa_answers

_PARTS = {'train': 'train', 'test': 'val'}
# Of a row's values: the type, and what it is called.
_TYPES = {
  'question_id': (int, 'a whole number'),
  'image_id': (int, 'a whole number'),
  'question': (str, 'text'),
  'answers': (list, 'a list'),
}


class Questions(NamedTuple):
  """Questions, row by row.

  Attributes:
    texts: object [n], strings.
    pictures: int64 [n], the number of the picture that each is about.
    answers: object [n, 10], strings, an annotator's each.
  """

  texts: np.ndarray
  pictures: np.ndarray
  answers: np.ndarray

  def take(self, indices: np.ndarray) -> 'Questions':
    """Returns the questions at `indices` (integers [m]), in that order."""
    return Questions(self.texts[indices], self.pictures[indices], self.answers[indices])


def find_files(data_dir: str, part: str) -> tuple[pathlib.Path, pathlib.Path]:
  """Finds the files of questions and of annotations of one part; as `read_questions`."""
  questions, annotations = (
    _find(data_dir, f'*{_PARTS[part]}*_{kind}.json') for kind in ('questions', 'annotations')
  )
  return questions, annotations


def read_questions(data_dir: str, part: str) -> Questions:
  """Reads one part: its file of questions and its file of annotations.

  Their official names are `v2_OpenEnded_mscoco_train2014_questions.json` and
  `v2_mscoco_train2014_annotations.json`; those of `val2014` are the test part, as the answers of
  the official test part are not public. They are found by `*train*_questions.json` and the like.

  Args:
    data_dir: the folder of the files.
    part: 'train' or 'test'.

  Returns:
    The questions, in the order of their file.

  Raises:
    DataError: a file is missing, twice there, damaged or too large for the memory. Or a question
      has no ten answers. One sentence names the file.
  """
  questions_file, annotations_file = find_files(data_dir, part)
  asked = _read(questions_file, 'questions', ('question_id', 'image_id', 'question'))
  annotated = _read(annotations_file, 'annotations', ('question_id', 'answers'))
  answers_of = {row['question_id']: row['answers'] for row in annotated}
  answers = [_texts(answers_of.get(row['question_id'], [])) for row in asked]
  for row, given in zip(asked, answers, strict=True):
    if len(given) != vqa_answers.ANNOTATORS:
      raise examples.DataError(
        f'{annotations_file}: question {row["question_id"]} has {len(given)} answers, expected '
        f'{vqa_answers.ANNOTATORS} texts.'
      )
  try:
    pictures = np.array([row['image_id'] for row in asked], np.int64)
  except OverflowError as error:
    raise examples.DataError(
      f'{questions_file}: an image_id is out of range, expected 64 bits ({error}).'
    ) from error
  return Questions(
    np.array([row['question'] for row in asked], object), pictures, np.array(answers, object)
  )


def _find(data_dir: str, pattern: str) -> pathlib.Path:
  folder = pathlib.Path(os.path.expanduser(data_dir))
  found = visible_files.find(folder, pattern)
  if len(found) != 1:
    raise examples.DataError(
      f'data_dir: {len(found)} files {pattern} found in {folder}, expected one, as VQA v2 has it.'
    )
  return found[0]


def _read(path: pathlib.Path, key: str, names: tuple[str, ...]) -> list[dict[str, Any]]:
  """Returns the rows under `key`, each with all of these names, of `_TYPES`."""
  try:
    rows = json.loads(bounded.read(path))[key]
  except examples.DataError:
    raise
  except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
    raise examples.DataError(
      f'{path}: cannot be read as JSON with a list of {key} ({type(error).__name__}: {error}).'
    ) from error
  is_list = isinstance(rows, list) and bool(rows)
  if not is_list or not all(isinstance(row, dict) and row.keys() >= set(names) for row in rows):
    raise examples.DataError(f'{path}: expected {key}, each with {", ".join(names)}.')
  for name in names:
    kind, expected = _TYPES[name]
    # Not isinstance: true is no number.
    for row in (row for row in rows if type(row[name]) is not kind):
      raise examples.DataError(f'{path}: {name} is {row[name]!r}, expected {expected}.')
  return rows


def _texts(answers: list[Any]) -> list[str]:
  """Returns the answers' texts, of those that have one."""
  texts = (answer.get('answer') for answer in answers if isinstance(answer, dict))
  return [text for text in texts if isinstance(text, str)]
