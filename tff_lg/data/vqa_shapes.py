"""Generated pictures of coloured shapes, with questions: synthetic, says nothing of photographs.

A picture has two by two cells. Each is empty or has a circle, a square or a triangle in one of six
colours. Place and size are random. Questions are about colours, about numbers, and whether there is
something. Ten annotators answer each: rightly with probability 0.9, else with any answer of the
kind, so that the official rule has something to weigh.

The encoder is frozen and was never trained. It computes the responses of 64 random filters to
patches of the picture, cut at zero and averaged over each quarter. Constants then shift and scale
them, so that 256 pictures of its own have mean 0 and variance 1.
"""

from typing import Any, NamedTuple

import numpy as np

from tff_lg.data import vqa_answers, vqa_files

SHAPES = ('circle', 'square', 'triangle')
COLOURS = {
  'red': (1.0, 0.1, 0.1),
  'green': (0.1, 0.8, 0.1),
  'blue': (0.1, 0.2, 1.0),
  'yellow': (1.0, 0.9, 0.1),
  'purple': (0.6, 0.1, 0.8),
  'white': (1.0, 1.0, 1.0),
}
NUM_FEATURES = 256
_WIDTH = 16  # Of a cell, in pixels.
_BACKGROUND = 0.2
_SHARE_EMPTY, _SHARE_RIGHT = 0.25, 0.9
# Shares of questions about a colour and about a number; the others ask whether there is something.
_SHARES = (0.6, 0.2)
_FILTERS, _PATCH, _STRIDE, _ENCODER_SEED = 64, 7, 5, 1

_ANSWERS = np.array([*COLOURS, *map(str, range(5)), 'no', 'yes'], object)
_FIRST_NUMBER, _FIRST_YES_NO = len(COLOURS), len(COLOURS) + 5
# First and one after the last answer of each kind of question.
_KINDS = np.array(
  [(0, _FIRST_NUMBER), (_FIRST_NUMBER, _FIRST_YES_NO), (_FIRST_YES_NO, len(_ANSWERS))]
)


class Pictures(NamedTuple):
  """The contents of n pictures, cell by cell.

  Attributes:
    shapes: int [n, 4], by its place in `SHAPES`, -1 for an empty cell.
    colours: int [n, 4], by its place in `COLOURS`, whatever is in the cell.
    pixels: float32 [n, 32, 32, 3] in [0, 1].
  """

  shapes: np.ndarray
  colours: np.ndarray
  pixels: np.ndarray


class ShapeQuestions(NamedTuple):
  """The generated set.

  Attributes:
    train: questions about the first pictures.
    test: questions about the others.
    features: float32 [pictures, 256], of picture 0, 1, ...
  """

  train: vqa_files.Questions
  test: vqa_files.Questions
  features: np.ndarray


def generate_shapes(
  num_train: int = 4200, num_test: int = 500, questions_a_picture: int = 10, seed: int = 0
) -> ShapeQuestions:
  """Generates pictures, their features, questions and answers.

  Args:
    num_train: pictures for training.
    num_test: pictures for testing.
    questions_a_picture: how many of each.
    seed: the same seed, the same set.

  Returns:
    The set.
  """
  rng = np.random.default_rng(seed)
  pictures = draw_pictures(num_train + num_test, rng)
  asked = np.repeat(np.arange(num_train + num_test), questions_a_picture)
  questions = ask(pictures, asked, rng)
  train, test = np.split(np.arange(len(asked)), [num_train * questions_a_picture])
  return ShapeQuestions(
    questions.take(train), questions.take(test), encode_pictures(pictures.pixels)
  )


def draw_pictures(num_pictures: int, rng: np.random.Generator) -> Pictures:
  """Draws pictures."""
  shapes = rng.integers(len(SHAPES), size=(num_pictures, 4))
  shapes[rng.random(shapes.shape) < _SHARE_EMPTY] = -1
  colours = rng.integers(len(COLOURS), size=shapes.shape)
  radius = rng.uniform(0.3, 0.45, (num_pictures, 4, 1, 1)) * _WIDTH
  centres = _WIDTH / 2 + rng.uniform(-1, 1, (2, num_pictures, 4, 1, 1)) * (_WIDTH / 2 - radius)
  down, right = (np.mgrid[:_WIDTH, :_WIDTH][:, np.newaxis, np.newaxis] + 0.5 - centres) / radius
  right = np.abs(right)
  is_inside = np.stack(
    [
      right**2 + down**2 <= 1,
      np.maximum(right, np.abs(down)) <= 0.85,
      (right <= (down + 1) / 2) & (down <= 0.9),
    ]
  )
  which = np.maximum(shapes, 0)[np.newaxis, ..., np.newaxis, np.newaxis]
  is_drawn = np.take_along_axis(is_inside, which, axis=0)[0] & (shapes >= 0)[:, :, None, None]
  palette = np.array(list(COLOURS.values()), np.float32)
  cells = np.where(
    is_drawn[..., np.newaxis], palette[colours][:, :, None, None], np.float32(_BACKGROUND)
  )
  pixels = cells.reshape(-1, 2, 2, _WIDTH, _WIDTH, 3).transpose(0, 1, 3, 2, 4, 5)
  return Pictures(shapes, colours, pixels.reshape(-1, 2 * _WIDTH, 2 * _WIDTH, 3))


def ask(pictures: Pictures, asked: np.ndarray, rng: np.random.Generator) -> vqa_files.Questions:
  """Asks a question about each of the pictures `asked`, int [n], and lets annotators answer.

  A colour is asked for where one cell alone has the shape, else how many have it. Half of the
  questions whether there is something are about what is in one of the cells.
  """
  shapes, colours = pictures.shapes[asked], pictures.colours[asked]
  num_of_shape = (shapes[:, :, np.newaxis] == np.arange(len(SHAPES))).sum(axis=1)
  rows = np.arange(len(asked))
  kind = np.searchsorted(np.cumsum(_SHARES), rng.random(len(asked)))
  kind[(kind == 0) & ~(num_of_shape == 1).any(axis=1)] = 1
  # Something at random, one that is there alone, or what is in a cell.
  shape = rng.integers(len(SHAPES), size=len(asked))
  alone = np.argmax((num_of_shape == 1) * rng.random(num_of_shape.shape), axis=1)
  shape = np.where(kind == 0, alone, shape)
  colour = rng.integers(len(COLOURS), size=len(asked))
  cell = np.argmax((shapes >= 0) * rng.random(shapes.shape), axis=1)
  is_there = (kind == 2) & (shapes[rows, cell] >= 0) & (rng.random(len(asked)) < 0.5)
  shape = np.where(is_there, shapes[rows, cell], shape)
  colour = np.where(is_there, colours[rows, cell], colour)

  has_shape = shapes == shape[:, np.newaxis]
  right = np.select(
    [kind == 0, kind == 1],
    [colours[rows, has_shape.argmax(axis=1)], _FIRST_NUMBER + has_shape.sum(axis=1)],
    _FIRST_YES_NO + (has_shape & (colours == colour[:, np.newaxis])).any(axis=1),
  )
  first, end = _KINDS[kind].T[:, :, np.newaxis]
  guesses = rng.integers(first, end, (len(asked), vqa_answers.ANNOTATORS))
  is_right = rng.random(guesses.shape) < _SHARE_RIGHT
  texts = [
    [f'What colour is the {name}?' for name in SHAPES for _ in COLOURS],
    [f'How many {name}s are there?' for name in SHAPES for _ in COLOURS],
    [f'Is there a {of_colour} {name}?' for name in SHAPES for of_colour in COLOURS],
  ]
  return vqa_files.Questions(
    np.array(texts, object)[kind, shape * len(COLOURS) + colour],
    asked.astype(np.int64),
    _ANSWERS[np.where(is_right, right[:, np.newaxis], guesses)],
  )


def encode_pictures(pixels: np.ndarray) -> np.ndarray:
  """Returns the frozen encoder.

  Args:
    pixels: float32 [n, 32, 32, 3].

  Returns:
    float32 [n, 256]: of each quarter the means of 64 responses.
  """
  rng = np.random.default_rng(_ENCODER_SEED)
  filters = rng.normal(size=(_PATCH, _PATCH, 3, _FILTERS)).astype(np.float32)
  filters -= filters.mean(axis=(0, 1, 2))  # Else grey alone decides which are ever active.
  own = _responses(draw_pictures(256, rng).pixels, filters)
  return (_responses(pixels, filters) - own.mean(axis=0)) / own.std(axis=0)


def _responses(pixels: np.ndarray, filters: np.ndarray) -> np.ndarray:
  view: Any = np.lib.stride_tricks.sliding_window_view  # NumPy 1's types know one axis alone.
  windows = view(pixels, (_PATCH, _PATCH), axis=(1, 2))
  patches = windows[:, ::_STRIDE, ::_STRIDE].transpose(0, 1, 2, 4, 5, 3)
  response = np.maximum(np.tensordot(patches, filters, axes=3), 0)
  n, side = response.shape[:2]
  quarters = response.reshape(n, 2, side // 2, 2, side // 2, -1).mean(axis=(2, 4))
  return quarters.reshape(n, NUM_FEATURES)
