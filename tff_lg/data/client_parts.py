"""Splits the examples that one client has into its three parts, by the client's name alone."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from tff_lg.data import client_examples, examples

# What a client comes with: all its examples together, or parts that are split already.
ALL = 'all'
PARTS = ('train', 'validation', 'test')


@dataclasses.dataclass(frozen=True)
class PartSplit:
  """How examples that come together are split; those that come as parts stay as they are.

  Test examples are taken out of `all`, and validation examples out of what is left, or out of
  `train` where that is given without `validation`. A part has its fraction of the examples,
  rounded to the nearest number, at least one, but at least one is left. Which they are follows
  from the seed and the client's name, so a client's parts do not depend on who else there is.

  Attributes:
    validation_fraction: in [0, 1).
    test_fraction: in [0, 1).
    seed: not negative.

  Raises:
    ValueError: a fraction out of range.
  """

  validation_fraction: float = 0.1
  test_fraction: float = 0.2
  seed: int = 0

  def __post_init__(self) -> None:
    for name in ('validation_fraction', 'test_fraction'):
      if not 0 <= getattr(self, name) < 1:
        raise ValueError(f'{name}: {getattr(self, name)} found, expected in [0, 1).')

  def sizes(self, given: Mapping[str, int]) -> dict[str, int]:
    """Returns how many examples the three parts have, of the sizes of what is given."""
    num_left = given[_pool(given)]
    sizes = {part: given.get(part, 0) for part in PARTS}
    for part, fraction in self._taken(given):
      sizes[part] = max(min(max(int(fraction * num_left + 0.5), 1), num_left - 1), 0)
      num_left -= sizes[part]
    return sizes | {'train': num_left}

  def split(
    self,
    client_id: str,
    given: Mapping[str, examples.Examples],
    without_examples: Iterable[str] = (),
  ) -> client_examples.ClientExamples:
    """Splits a client's examples: `all`, or `train` with perhaps `validation` and `test`.

    Args:
      client_id: the client's name.
      given: its examples.
      without_examples: parts that it comes with, too, but that have no examples: nothing is taken
        out of others for them.

    Raises:
      DataError: neither `all` nor `train` is given.
    """
    if not given.keys() & {ALL, 'train'}:
      raise examples.DataError(f'client {client_id}: no examples found, expected at least one.')
    pool = given[_pool(given)]
    given = {**dict.fromkeys(without_examples, pool.take(np.zeros(0, np.int64))), **given}
    sizes = self.sizes({name: len(of_name) for name, of_name in given.items()})
    order = np.random.default_rng([self.seed, *client_id.encode()]).permutation(len(pool))
    parts = {part: given.get(part, pool.take(order[:0])) for part in PARTS[1:]}
    start = 0
    for part, _ in self._taken(given):
      parts[part] = pool.take(np.sort(order[start : start + sizes[part]]))
      start += sizes[part]
    return client_examples.ClientExamples(client_id, pool.take(np.sort(order[start:])), **parts)

  def _taken(self, given: Mapping[str, object]) -> Iterator[tuple[str, float]]:
    """Yields the parts that are taken out of what is given, with their fractions, in order."""
    if ALL in given and self.test_fraction:
      yield 'test', self.test_fraction
    if 'validation' not in given and self.validation_fraction:
      yield 'validation', self.validation_fraction


def _pool(given: Mapping[str, object]) -> str:
  return ALL if ALL in given else 'train'
