"""One client and its examples: in memory, or read each time they are asked for."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from tff_lg.data import examples


@dataclasses.dataclass(frozen=True, eq=False)
class ClientExamples:
  """One client's data; the three parts share no example."""

  client_id: str
  train: examples.Examples
  validation: examples.Examples
  test: examples.Examples

  def size(self, part: str) -> int:
    """Returns how many examples a part has."""
    return len(getattr(self, part))


class Reader(Protocol):
  """The reader of clients that are not in memory, by number: `client_reader.ClientReader`."""

  num_examples: Mapping[str, np.ndarray]
  data_crc32: int | None

  def read(self, number: int) -> ClientExamples:
    """Returns a client's examples, waiting for them."""

  def prefetch(self, numbers: Sequence[int]) -> None:
    """Begins to read clients; returns at once."""

  def give_up(self) -> None:
    """Drops what is still to be read."""


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class UnreadClient:
  """A client as `ClientExamples` has it, but its examples are read each time they are asked for.

  Attributes:
    client_id: its name.
    number: its place in the reader.
    reader: that keeps some clients in memory.
  """

  client_id: str
  number: int
  reader: Reader

  def size(self, part: str) -> int:
    """Returns how many examples a part has; nothing is read."""
    return int(self.reader.num_examples[part][self.number])

  @property
  def train(self) -> examples.Examples:
    """The training examples."""
    return self.reader.read(self.number).train

  @property
  def validation(self) -> examples.Examples:
    """The validation examples."""
    return self.reader.read(self.number).validation

  @property
  def test(self) -> examples.Examples:
    """The test examples."""
    return self.reader.read(self.number).test
