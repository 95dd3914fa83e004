"""A program of TFF and the value that it has to give."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

Call = Callable[[], Any]


@dataclasses.dataclass(frozen=True)
class Program:
  """A few lines of TFF.

  Attributes:
    module: of TFF's public API that it is about, such as `tff.aggregators`.
    name: of the program, unique in the module.
    build: makes the computations and their arguments, and returns what calls them.
    expected: what the call gives, found without TFF.
    atol: the largest absolute difference of a number.
  """

  module: str
  name: str
  build: Callable[[], Call]
  expected: Any
  atol: float

  def check(self, found: Any) -> None:
    """Compares what a call gave.

    Raises:
      AssertionError: it is not what is expected; says where and what was found.
    """
    _check(found, self.expected, self.atol, 'the result')


class Programs(list[Program]):
  """The programs about one module of TFF, in the order in which they are written."""

  def __init__(self, module: str) -> None:
    """Starts without programs.

    Args:
      module: of TFF's public API.
    """
    super().__init__()
    self.module = module

  def add(
    self, expected: Any, *, atol: float = 1e-5, name: str = ''
  ) -> Callable[[Callable[[], Call]], Callable[[], Call]]:
    """Returns a decorator that adds a function as a program.

    Args:
      expected: what the call gives: nested mappings and sequences of numbers and strings.
      atol: the largest absolute difference of a number.
      name: of the program; by default the function's.
    """

    def decorate(build: Callable[[], Call]) -> Callable[[], Call]:
      self.append(Program(self.module, name or build.__name__, build, expected, atol))
      return build

    return decorate


def _check(found: Any, expected: Any, atol: float, where: str) -> None:
  if isinstance(found, tf.data.Dataset):
    found = list(found)
  if isinstance(expected, Mapping):
    if not isinstance(found, Mapping) or list(found) != list(expected):
      raise AssertionError(f'{where} is {found!r}, expected names {list(expected)}')
    for name in expected:
      _check(found[name], expected[name], atol, f'{where}[{name!r}]')
  elif isinstance(expected, (list, tuple)) and isinstance(found, (list, tuple)):
    if len(found) != len(expected):
      raise AssertionError(f'{where} has {len(found)} parts, expected {len(expected)}')
    for index, (each, other) in enumerate(zip(found, expected, strict=True)):
      _check(each, other, atol, f'{where}[{index}]')
  else:
    same = _is_same(np.asarray(found), np.asarray(expected), atol)
    if not same:
      raise AssertionError(f'{where} is {found!r}, expected {expected!r}')


def _is_same(found: np.ndarray, expected: np.ndarray, atol: float) -> bool:
  if found.shape != expected.shape:
    return False
  if found.dtype.kind in 'biufc' and expected.dtype.kind in 'biufc':
    return np.allclose(found, expected, rtol=1e-5, atol=atol)
  return bool((_texts(found) == _texts(expected)).all())


def _texts(array: np.ndarray) -> np.ndarray:
  decode = np.vectorize(lambda x: x.decode() if isinstance(x, bytes) else str(x), otypes=[object])
  return decode(array) if array.size else array
