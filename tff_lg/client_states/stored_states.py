"""States that stay in files: read one at a time, and no part of a checkpoint."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

import numpy as np

from tff_lg.learning import client_work


class StoredStates(Sequence[client_work.ClientState]):
  """States of some clients, each read when it is asked for.

  Attributes:
    keys: what each is read by, [number] or [number, parts].
  """

  def __init__(self, read: Callable[[Any], client_work.ClientState], keys: np.ndarray) -> None:
    """Takes what reads the state of a key; nothing is read."""
    self._read, self.keys = read, keys

  def __len__(self) -> int:
    """Returns how many states there are."""
    return len(self.keys)

  @overload
  def __getitem__(self, index: int) -> client_work.ClientState: ...

  @overload
  def __getitem__(self, index: slice) -> 'StoredStates': ...

  def __getitem__(self, index: int | slice) -> 'client_work.ClientState | StoredStates':
    """Returns a state, or those of a slice, still to be read."""
    keys = self.keys[index]
    return StoredStates(self._read, keys) if isinstance(index, slice) else self._read(keys.tolist())


class StoredChoice:
  """The states of chosen models as `selection.ModelSelection` wants them, where files have them."""

  def to_arrays(self) -> dict[str, np.ndarray]:
    """Returns nothing: the files have it."""
    return {}

  def load_arrays(
    self, arrays: Mapping[str, np.ndarray], clients: Sequence[int], like: client_work.ClientState
  ) -> None:
    """Does nothing: the files have it."""
