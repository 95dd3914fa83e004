"""Visual question answering: questions and features of their pictures, as examples with labels."""

import collections
import dataclasses
import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from absl import logging

from tff_lg.data import (
  examples,
  federated,
  partitioners,
  vocabulary,
  vqa_answers,
  vqa_files,
  vqa_shapes,
)

# Class 0, of questions whose ten answers are all unknown: nothing is trained on it.
UNKNOWN_ANSWER = '<unknown>'


class PictureFeatures(NamedTuple):
  """Pictures as a frozen encoder sees them.

  Attributes:
    numbers: int64 [m], of each picture.
    x: float32 [m, d].
    name: where they are from, to be said where a picture is missing.
  """

  numbers: np.ndarray
  x: np.ndarray
  name: str


def load_vqa(
  data_dir: str | None = None,
  features: PictureFeatures | None = None,
  *,
  num_clients: int = 50,
  sequence_length: int = 14,
  vocabulary_size: int | None = None,
  num_answers: int | None = 1000,
  known_words: Sequence[str] | None = None,
  known_answers: Sequence[str] | None = None,
  max_questions: int | None = None,
  dirichlet_alpha: float | None = None,
  validation_fraction: float = 0.1,
  seed: int = 0,
) -> federated.FederatedData:
  """Loads questions and deals their pictures to clients.

  - An example is one row: the features of the picture, then the numbers of the question's first
    `sequence_length` words, padded at the end. It is float32, which is exact below 2^24.
  - The known answers are the `num_answers` that annotators of training questions gave most often;
    ties go to the first in the alphabet. The known words are those of training questions.
    `known_answers` and `known_words` replace both; no client's questions can change these.
  - The label is the known answer that most annotators gave. Ties go to the more frequent one in
    training, or to the first of `known_answers`. Training questions without a known answer are left
    out; test questions stay, as `UNKNOWN_ANSWER`.
  - `answers` has the classes that the ten annotators gave, -1 for unknown answers; the official
    accuracy is made of them, see `models.VqaAccuracy`.
  - Training pictures are dealt to clients at random, with all of their questions, and so are test
    pictures. With `dirichlet_alpha` they are dealt by the answers, so that clients have different
    ones. A client's validation questions are drawn from its training questions.

  Args:
    data_dir: the folder of the official files, see `vqa_files`; None for generated shapes.
    features: of the pictures of these files.
    num_clients: how many clients.
    sequence_length: T, words of a question that the model sees.
    vocabulary_size: V, words known, the three special ones counted; None for all. Not used with
      `known_words`.
    num_answers: how many answers are known at most; None for all.
    known_words: the vocabulary, as `vocabulary.read_vocabulary` gives it.
    known_answers: the answers, as `vqa_answers.read_answers` gives them.
    max_questions: keeps so many training questions, drawn at random, and the same share of the
      test questions; None for all.
    dirichlet_alpha: concentration of the clients' shares of the pictures of each answer. A
      picture's answer is that of most questions about it. Test pictures have the same shares. None
      to deal pictures equally.
    validation_fraction: in [0, 1).
    seed: of everything random but the generated shapes.

  Returns:
    The clients, x float32 [n, d + T], and the words.

  Raises:
    DataError: files missing or damaged, or a picture without features.
    ValueError: an option out of range, or files without features.

  Antol et al. 2015, section 4: the 1000 most frequent answers are those to choose from.
  """
  options = (sequence_length, num_answers, max_questions)
  if any(option is not None and option < 1 for option in options):
    raise ValueError(
      f'sequence_length is {sequence_length}, num_answers {num_answers} and max_questions '
      f'{max_questions}, expected 1 or more.'
    )
  if data_dir is None:
    train, test, x = vqa_shapes.generate_shapes()
    features = PictureFeatures(np.arange(len(x)), x, 'generated shapes')
  elif features is None:
    raise ValueError('features is None, expected those of the pictures that data_dir asks about.')
  else:
    train, test = (vqa_files.read_questions(data_dir, part) for part in ('train', 'test'))
  rng = np.random.default_rng(seed)
  if max_questions is not None and max_questions < len(train.texts):
    share = max_questions / len(train.texts)
    train, test = (_draw(part, share, rng) for part in (train, test))
  words = known_words
  if words is None:
    words = vocabulary.build_vocabulary(map(vocabulary.words, train.texts), vocabulary_size)
  answers = _most_frequent(train.answers) if known_answers is None else list(known_answers)
  answers = answers[:num_answers]
  shares = None
  if dirichlet_alpha is not None:
    # A stream of its own, so that the other choices stay the same.
    shares = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0]).dirichlet(
      [dirichlet_alpha] * num_clients, 1 + len(answers)
    )

  def deal(part: vqa_files.Questions) -> examples.Examples:
    found = _examples(part, features, words, answers, sequence_length)
    if shares is None:
      users = _deal(part.pictures, num_clients, rng)
    else:
      users = _deal_by_answer(part.pictures, found.y, shares, rng)
    return dataclasses.replace(found, users=users)

  of_train, of_test = deal(train), deal(test)
  known = np.flatnonzero(of_train.y)
  if len(known) < len(of_train):
    logging.warning(
      '%d of %d training questions have a known answer; the others are left out.',
      len(known),
      len(of_train),
    )
  federated_data = federated.partition_clients(
    examples.Source(
      'vqa', of_train.take(known), of_test, 1 + len(answers), (UNKNOWN_ANSWER, *answers)
    ),
    partitioners.natural(),
    validation_fraction=validation_fraction,
    seed=seed,
  )
  if len(federated_data.clients) < num_clients:
    raise examples.DataError(
      f'{features.name}: {len(federated_data.clients)} of {num_clients} clients have training '
      'questions with a known answer, expected all: lower num_clients.'
    )
  return dataclasses.replace(federated_data, vocabulary=tuple(words))


def _draw(
  questions: vqa_files.Questions, share: float, rng: np.random.Generator
) -> vqa_files.Questions:
  total = len(questions.texts)
  return questions.take(np.sort(rng.permutation(total)[: max(round(share * total), 1)]))


def _most_frequent(answers: np.ndarray) -> list[str]:
  """Returns answers given, [n, 10], written alike, the most frequent first."""
  counts = collections.Counter(map(vqa_answers.normalise_answer, answers.flat))
  del counts['']
  return sorted(counts, key=lambda answer: (-counts[answer], answer))


def _deal(pictures: np.ndarray, num_clients: int, rng: np.random.Generator) -> np.ndarray:
  """Returns the client of each question, str [n]: all questions about a picture have the same."""
  numbers, picture = np.unique(pictures, return_inverse=True)
  client = rng.permutation(np.arange(len(numbers)) % num_clients)
  return np.array(federated.numbered_ids(num_clients))[client[picture]]


def _deal_by_answer(
  pictures: np.ndarray, y: np.ndarray, shares: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
  """Returns the client of each question, str [n], of pictures spread by their usual answer.

  Args:
    pictures: of the questions, [n].
    y: answers, int [n].
    shares: of clients, by answer, [num_answers, num_clients].
    rng: of the draw.
  """
  numbers, picture = np.unique(pictures, return_inverse=True)
  counts = np.zeros((len(numbers), len(shares)), np.int32)
  np.add.at(counts, (picture, y), 1)
  counts[:, 0] = 0  # Pictures without a known answer have class 0 all the same.
  usual, client = counts.argmax(axis=1), np.zeros(len(numbers), np.int64)
  for answer in np.unique(usual):
    of_answer = rng.permutation(np.flatnonzero(usual == answer))
    ends = np.rint(np.cumsum(shares[answer])[:-1] * len(of_answer)).astype(int)
    for number, part in enumerate(np.split(of_answer, ends)):
      client[part] = number
  return np.array(federated.numbered_ids(shares.shape[1]))[client[picture]]


def _examples(
  questions: vqa_files.Questions,
  features: PictureFeatures,
  words: Sequence[str],
  known_answers: Sequence[str],
  sequence_length: int,
) -> examples.Examples:
  order = np.argsort(features.numbers)
  found = np.searchsorted(features.numbers, questions.pictures, sorter=order)
  places = order[np.minimum(found, len(order) - 1)]
  missing = np.flatnonzero(features.numbers[places] != questions.pictures)
  if len(missing):
    raise examples.DataError(
      f'{features.name}: picture {questions.pictures[missing[0]]} not found, which a question is '
      f'about ({len(missing)} such questions of {len(places)}).'
    )
  texts = [vocabulary.words(text)[:sequence_length] for text in questions.texts]
  index = {word: number for number, word in enumerate(words)}
  num_features = features.x.shape[1]
  x = np.full((len(texts), num_features + sequence_length), vocabulary.PADDING, np.float32)
  x[:, :num_features] = features.x[places]
  is_word = np.arange(sequence_length) < np.array([[len(text)] for text in texts])
  x[:, num_features:][is_word] = vocabulary.encode(list(itertools.chain(*texts)), index)
  answers = _classes(questions.answers, known_answers)
  # First by how many annotators agree, then by class, which is in the order of frequency.
  agreeing = (answers[:, :, np.newaxis] == answers[:, np.newaxis]).sum(axis=2)
  rank = np.where(answers > 0, agreeing * (1 + len(known_answers)) - answers, -1)
  label = np.take_along_axis(answers, rank.argmax(axis=1, keepdims=True), axis=1)[:, 0]
  return examples.Examples(x, np.maximum(label, 0), answers=answers)


def _classes(answers: np.ndarray, known: Sequence[str]) -> np.ndarray:
  """Returns the class of each answer as it was given, int32 [n, 10]; -1 for unknown ones."""
  index = {answer: number for number, answer in enumerate(known, 1)}
  classes = (index.get(vqa_answers.normalise_answer(answer), -1) for answer in answers.flat)
  return np.fromiter(classes, np.int32, answers.size).reshape(answers.shape)
