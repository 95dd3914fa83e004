"""The official files of VQA, small."""

import json
import pathlib
from collections.abc import Sequence

# question id, picture, question, answers
Row = tuple[int, int, str, Sequence[str]]


def write_files(folder: str, train: Sequence[Row], test: Sequence[Row]) -> str:
  """Writes questions and annotations of both parts by their official names; returns `folder`."""
  for part, rows in (('train2014', train), ('val2014', test)):
    questions = [{'question_id': q, 'image_id': p, 'question': text} for q, p, text, _ in rows]
    annotations = [
      {
        'question_id': q,
        'image_id': p,
        'multiple_choice_answer': answers[0] if answers else '',
        'answers': [
          {'answer': answer, 'answer_confidence': 'yes', 'answer_id': number}
          for number, answer in enumerate(answers, 1)
        ],
      }
      for q, p, _, answers in reversed(rows)
    ]
    for name, key, value in (
      (f'v2_OpenEnded_mscoco_{part}_questions.json', 'questions', questions),
      (f'v2_mscoco_{part}_annotations.json', 'annotations', annotations),
    ):
      pathlib.Path(folder, name).write_text(json.dumps({'info': {}, key: value}), encoding='utf-8')
  return folder
