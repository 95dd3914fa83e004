"""The file that says which client each example is of."""

import dataclasses
import io
import json
import os

import numpy as np

from tff_lg import files
from tff_lg.data import bounded, examples
from tff_lg.heterogeneity import clients as clients_lib

_ARRAYS = ('ids', 'client', 'split', 'num_clients', 'shuffled_share', 'seed', 'provenance')


@dataclasses.dataclass(frozen=True, eq=False)
class ClientAssignment:
  """Clients of the examples of an embeddings file.

  Attributes:
    ids: str [n], the examples, each once.
    client: int32 [n], the client of each, in [0, num_clients).
    split: str [n], the part each is of, 'train' or 'test'.
    num_clients: how many clients.
    shuffled_share: p, the share of examples that were reassigned at random.
    seed: of the simulation.
    provenance: JSON text, what the clients were made of and by.

  Raises:
    ValueError: arrays that do not fit each other, an id twice, a client out of range, or a
      provenance that is not JSON.
  """

  ids: np.ndarray
  client: np.ndarray
  split: np.ndarray
  num_clients: int
  shuffled_share: float
  seed: int
  provenance: str = '{}'

  def __post_init__(self) -> None:
    shapes = {name: getattr(self, name).shape for name in ('ids', 'client', 'split')}
    if len(set(shapes.values())) != 1 or self.ids.ndim != 1:
      found = ', '.join(f'{name} {list(shape)}' for name, shape in shapes.items())
      raise ValueError(f'{found} found, expected arrays [n] of one length.')
    if self.ids.dtype.kind != 'U' or self.split.dtype.kind != 'U' or self.client.dtype != np.int32:
      raise ValueError(
        f'ids is {self.ids.dtype}, client {self.client.dtype}, split {self.split.dtype}; '
        'expected str, int32, str.'
      )
    names, counts = np.unique(self.ids, return_counts=True)
    if (counts > 1).any():
      raise ValueError(f'ids has {names[counts.argmax()]} {counts.max()} times, expected once.')
    wrong = self.client[(self.client < 0) | (self.client >= self.num_clients)]
    if len(wrong):
      raise ValueError(f'client has the value {wrong[0]}, expected [0, {self.num_clients}).')
    try:
      json.loads(self.provenance)
    except ValueError as error:
      raise ValueError(f'provenance is not JSON text: {error}.') from error

  @classmethod
  def from_simulation(
    cls,
    clients: clients_lib.SimulatedClients,
    ids: np.ndarray,
    split: np.ndarray,
    provenance: str = '{}',
  ) -> 'ClientAssignment':
    """Names the examples of simulated clients.

    Args:
      clients: the clients of n examples.
      ids: str [n].
      split: str [n].
      provenance: JSON text.

    Returns:
      The clients, to be saved.
    """
    return cls(
      ids=ids,
      client=clients.client,
      split=split,
      num_clients=clients.num_clients,
      shuffled_share=clients.shuffled_share,
      seed=clients.seed,
      provenance=provenance,
    )

  def clients_of(self, ids: np.ndarray) -> np.ndarray:
    """Looks up examples, in any order.

    Args:
      ids: str [m].

    Returns:
      int32 [m], the client of each.

    Raises:
      ValueError: an example that the file does not know.
    """
    if not len(ids):
      return np.zeros(0, np.int32)
    if not len(self.ids):
      raise ValueError(f'Example {ids[0]} has no client, expected one for each.')
    order = np.argsort(self.ids)
    places = np.searchsorted(self.ids, ids, sorter=order)
    found = order[np.minimum(places, len(order) - 1)]
    unknown = np.flatnonzero(self.ids[found] != ids)
    if len(unknown):
      raise ValueError(
        f'{len(unknown)} of {len(ids)} examples have no client, the first of them '
        f'{ids[unknown[0]]}; expected one for each.'
      )
    return self.client[found]


def save_clients(path: str | os.PathLike[str], assignment: ClientAssignment) -> str:
  """Writes a compressed npz file, whole or not at all.

  Equal assignments make equal files.

  Args:
    path: the file; its folder is made if need be.
    assignment: the clients.

  Returns:
    `path`.

  Raises:
    OSError: it cannot be written.
  """
  buffer = io.BytesIO()
  np.savez_compressed(buffer, **{name: getattr(assignment, name) for name in _ARRAYS})
  return files.write_atomically(os.fspath(path), buffer.getvalue())


def load_clients(path: str | os.PathLike[str]) -> ClientAssignment:
  """Reads what `save_clients` wrote.

  Args:
    path: the file.

  Returns:
    The clients.

  Raises:
    FileNotFoundError: there is no such file.
    ValueError: it is damaged, too large for the memory, or no clients file; the message names it.
  """
  try:
    with bounded.open_npz(path) as npz:
      arrays = dict(npz)
  except (FileNotFoundError, examples.DataError):
    raise
  except Exception as error:  # A damaged archive can raise nearly anything.
    raise ValueError(f'{path}: cannot be read as an npz file of plain arrays ({error}).') from error
  if not set(_ARRAYS) <= arrays.keys():
    raise ValueError(f'{path}: arrays {sorted(arrays)} found, expected {", ".join(_ARRAYS)}.')
  try:
    return ClientAssignment(
      ids=arrays['ids'],
      client=arrays['client'],
      split=arrays['split'],
      num_clients=int(arrays['num_clients']),
      shuffled_share=float(arrays['shuffled_share']),
      seed=int(arrays['seed']),
      provenance=str(arrays['provenance']),
    )
  except (TypeError, ValueError) as error:
    raise ValueError(f'{path}: {error}') from error
