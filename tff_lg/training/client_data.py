"""Each client's tensors, by index: in memory, or made of what is read when needed."""

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import overload

import numpy as np
import tensorflow as tf

from tff_lg import data as data_lib
from tff_lg import data_fingerprint
from tff_lg.client_states import client_store
from tff_lg.data import client_examples, client_parts
from tff_lg.data import examples as examples_lib
from tff_lg.learning import batches


def to_tensors(
  examples: examples_lib.Examples, *, are_trained_on: bool = False
) -> batches.ClientTensors:
  """Returns a client's examples as the process takes them, in TensorFlow's memory for good.

  Args:
    examples: of the client.
    are_trained_on: whether their weights count, if they have any; their mean is 1. All weights
      are 1 where examples only measure.
  """
  y = examples.y
  # Answers and weights go where labels go, not into the network.
  if examples.answers is not None:
    y = np.column_stack([y, examples.answers])
  if examples.weights is not None:
    weights = examples.relative_weights() if are_trained_on else np.ones(len(y), np.float32)
    y = np.column_stack([y, weights]).astype(np.float32)
  with tf.device('cpu:0'):
    return batches.ClientTensors(tf.constant(examples.x), tf.constant(y))


class UnreadTensors(Sequence[batches.ClientTensors]):
  """The tensors of a part of clients that are read when they are asked for."""

  def __init__(self, clients: Sequence[data_lib.UnreadClient], part: str) -> None:
    """Takes the clients; nothing is read."""
    self._clients, self._part = tuple(clients), part

  @functools.cached_property
  def sizes(self) -> np.ndarray:
    """Each client's examples, int64 [num_clients]; nothing is read."""
    return np.array([client.size(self._part) for client in self._clients], np.int64)

  def __len__(self) -> int:
    """Returns the number of clients."""
    return len(self._clients)

  @overload
  def __getitem__(self, index: int) -> batches.ClientTensors: ...

  @overload
  def __getitem__(self, index: slice) -> list[batches.ClientTensors]: ...

  def __getitem__(self, index: int | slice) -> batches.ClientTensors | list[batches.ClientTensors]:
    """Returns a client's tensors, or a list for a slice; DataError as in `ClientReader.read`."""
    if isinstance(index, slice):
      self.prefetch(range(len(self))[index])
      return [self[number] for number in range(len(self))[index]]
    examples = getattr(self._clients[index], self._part)
    return to_tensors(examples, are_trained_on=self._part == 'train')

  def take(self, indices: Sequence[int] | np.ndarray) -> 'UnreadTensors':
    """Returns the data of some clients, in this order."""
    return UnreadTensors([self._clients[index] for index in indices], self._part)

  def prefetch(self, indices: Sequence[int]) -> None:
    """Begins to read clients; returns at once."""
    clients = [self._clients[index] for index in indices]
    if clients:
      clients[0].reader.prefetch([client.number for client in clients])


ClientData = Sequence[batches.ClientTensors]


def part_tensors(federated_data: data_lib.FederatedData, part: str) -> ClientData:
  """Returns the tensors of a part, `train`, `validation` or `test`, of participating clients."""
  clients = federated_data.clients
  if unread := [client for client in clients if isinstance(client, data_lib.UnreadClient)]:
    return UnreadTensors(unread, part)
  is_train = part == 'train'
  return [to_tensors(getattr(client, part), are_trained_on=is_train) for client in clients]


@dataclasses.dataclass(frozen=True, eq=False)
class Clients:
  """The clients of a run and their data.

  Attributes:
    ids: the clients' names.
    parts: each client's tensors, by part: `train` and, where models are evaluated, `validation`
      and `test`.
    reader: of data that are read when needed; None for data in memory.
  """

  ids: Sequence[str]
  parts: Mapping[str, ClientData]
  reader: client_examples.Reader | None = None

  def __post_init__(self) -> None:
    if 'train' not in self.parts:
      found = ', '.join(self.parts) or 'nothing'
      raise ValueError(f'parts has {found}, expected train among them.')
    for part, tensors in self.parts.items():
      if len(tensors) != len(self.ids):
        raise ValueError(f'{part} is of {len(tensors)} clients, expected {len(self.ids)}.')

  def __len__(self) -> int:
    """Returns the number of clients."""
    return len(self.ids)

  def fingerprint(self) -> dict[str, int]:
    """Returns the entries of `tff_lg.data_fingerprint` that are known without reading clients."""
    parts = {name: self.parts[name] for name in client_parts.PARTS if name in self.parts}
    in_memory = {name: part for name, part in parts.items() if isinstance(part, list | tuple)}
    sizes = [
      part.sizes if isinstance(part, UnreadTensors) else [len(tensors.y) for tensors in part]
      for name, part in parts.items()
      if name in in_memory or isinstance(part, UnreadTensors)
    ]
    by_client = [[of_part[client] for of_part in sizes] for client in range(len(self))]
    found = data_fingerprint.of_list(self.ids, by_client)
    found[data_fingerprint.TENSORS_CRC] = data_fingerprint.crc_of_arrays(
      (name, np.asarray(leaf))
      for name, part in in_memory.items()
      for tensors in part
      for leaf in tf.nest.flatten((tensors.x, tensors.y))
    )
    if self.reader is not None and self.reader.data_crc32 is not None:
      found[data_fingerprint.EXAMPLES_CRC] = self.reader.data_crc32
    return found


def to_clients(
  federated_data: data_lib.FederatedData, is_malicious: np.ndarray | None = None
) -> Clients:
  """Takes all parts of clients' data for a run.

  Args:
    federated_data: the clients that take part.
    is_malicious: bool [num_clients], who attacks; None for nobody.

  Returns:
    The clients, with `train`, `validation` and `test`.
  """
  parts = {part: part_tensors(federated_data, part) for part in ('train', 'validation', 'test')}
  if is_malicious is not None:
    parts['train'] = [
      tensors._replace(is_malicious=malicious)
      for tensors, malicious in zip(parts['train'], is_malicious, strict=True)
    ]
  ids = [client.client_id for client in federated_data.clients]
  return Clients(ids, parts, federated_data.reader)


def take(client_data: ClientData, indices: Sequence[int] | np.ndarray) -> ClientData:
  """Returns the data of some clients, in this order; nothing is read."""
  if isinstance(client_data, UnreadTensors):
    return client_data.take(indices)
  return [client_data[index] for index in indices]


def chunks(num_clients: int) -> list[slice]:
  """Returns the slices of clients whose states and data are in memory at a time."""
  size = client_store.CLIENTS_AT_A_TIME
  return [slice(start, start + size) for start in range(0, num_clients, size)]
