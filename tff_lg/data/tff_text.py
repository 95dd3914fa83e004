"""Text by user from TensorFlow Federated's own data sets, which it downloads and caches."""

import pathlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tff_lg.data import examples

if TYPE_CHECKING:
  from tff_lg.compatibility import tff

# Elements that are read at a time.
_BATCH_SIZE = 4096


class TffUsers(Mapping[str, list[str]]):
  """The lines of each user; a user is read when asked for, as Stack Overflow has 342,477."""

  def __init__(
    self, splits: 'Sequence[tff.simulation.datasets.ClientData]', field: str, order_by: str | None
  ) -> None:
    """Takes parts of one data set.

    Args:
      splits: a user's lines are those of the first, then those of the next.
      field: of an element, its line.
      order_by: of an element, what a split's lines are sorted by; None to leave them as they are.
    """
    self._splits = tuple((split, frozenset(split.client_ids)) for split in splits)
    self._ids = tuple(sorted(frozenset().union(*(ids for _, ids in self._splits))))
    self._field, self._order_by = field, order_by

  def __getitem__(self, user: str) -> list[str]:
    """Returns the user's lines that are not blank."""
    if not any(user in ids for _, ids in self._splits):
      raise KeyError(user)
    lines = [
      line.decode('utf-8')
      for split, ids in self._splits
      if user in ids
      for line in self._read(split, user)
    ]
    return [line for line in lines if line.strip()]

  def __iter__(self) -> Iterator[str]:
    """Returns the users, by name."""
    return iter(self._ids)

  def __len__(self) -> int:
    """Returns how many users there are."""
    return len(self._ids)

  def _read(self, split: 'tff.simulation.datasets.ClientData', user: str) -> np.ndarray:
    """Returns a user's lines in a split, bytes [n]."""
    batches = list(split.create_tf_dataset_for_client(user).batch(_BATCH_SIZE).as_numpy_iterator())
    lines = np.concatenate([batch[self._field] for batch in batches])
    if self._order_by is None:
      return lines
    keys = np.concatenate([batch[self._order_by] for batch in batches])
    return lines[np.argsort(keys, kind='stable')]


def read_users(name: str, cache_dir: str | None = None) -> TffUsers:
  """Loads a text data set of `tff.simulation.datasets`.

  - `tff_shakespeare`: 715 roles of LEAF's Shakespeare, a line for each snippet, those of TFF's
    training split first, then those of its test split.
  - `tff_stackoverflow`: the 342,477 users of the training split (before 2018), a line for each
    sentence, by date.

  Args:
    name: one of them.
    cache_dir: the folder of TFF's database, or where it goes; None for TFF's own, `~/.tff`.

  Returns:
    The lines of each user, as `text_files.read_users` gives them, but read when asked for.

  Raises:
    DataError: the data set could not be downloaded or read.
  """
  # Imported here: of this room, only TFF's own data sets need it.
  from tff_lg.compatibility import tff

  module = name.removeprefix('tff_')
  folder = None if cache_dir is None else str(pathlib.Path(cache_dir).expanduser())
  try:
    splits = getattr(tff.simulation.datasets, module).load_data(cache_dir=folder)
  except Exception as error:  # Of the network, the file system, LZMA, SQLite or TFF.
    raise examples.DataError(
      f'--text_source={name} could not be loaded ({error}): without a network, name the folder of '
      f"TFF's {module}.sqlite by --data_dir; delete a broken download first."
    ) from error
  if module == 'shakespeare':
    return TffUsers(splits, 'snippets', None)
  # The second are other users, the third the same ones after 2018.
  return TffUsers(splits[:1], 'tokens', 'creation_date')
