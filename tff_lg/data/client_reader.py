"""Clients whose data do not fit in memory: read when needed, ahead of it where that is known."""

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent import futures

import numpy as np

from tff_lg import metrics
from tff_lg.data import client_examples, client_parts, examples, federated


class ClientReader:
  """Reads clients in a thread of its own and keeps those that were asked for last.

  One thread does all reading, in the order of the requests. So the reading function need not be
  thread-safe, and a client is read once however often it is wanted meanwhile. An error waits until
  the client is wanted.

  Attributes:
    client_ids: names of all clients.
    num_examples: int64 [num_clients] by part: `train`, `validation`, `test`.
    cache_size: how many clients are kept.
    data_crc32: a CRC by which changed examples are noticed; None where there is none.
  """

  def __init__(
    self,
    client_ids: Sequence[str],
    num_examples: Mapping[str, np.ndarray],
    read: Callable[[int], client_examples.ClientExamples],
    *,
    row_shape: Sequence[int],
    num_classes: int,
    objective: str = 'classification',
    cache_size: int = 1000,
    data_crc32: int | None = None,
  ) -> None:
    """Takes the list of clients; no client is read.

    Args:
      client_ids: names, each once.
      num_examples: of each client, by part.
      read: number of a client -> its examples, always the same ones.
      row_shape: of one row of x.
      num_classes: labels are in [0, num_classes); of numbers 1, of several labels how many.
      objective: what labels are, see `examples.Examples.objective`.
      cache_size: clients kept, 0 or more; 0 reads a client again each time, and none ahead.
      data_crc32: of what is read, or of enough of it to notice most changes.

    Raises:
      DataError: no client, or one without training examples.
      ValueError: names that are not unique, or sizes of other clients.
    """
    if not client_ids:
      raise examples.DataError('No client found, expected at least one.')
    if len(set(client_ids)) < len(client_ids):
      raise ValueError('client_ids has a name twice, expected each once.')
    if cache_size < 0:
      raise ValueError(f'cache_size is {cache_size}, expected 0 or more.')
    self.client_ids = tuple(client_ids)
    self.num_examples: Mapping[str, np.ndarray] = {
      part: np.asarray(num_examples[part], np.int64) for part in client_parts.PARTS
    }
    for part, sizes in self.num_examples.items():
      if sizes.shape != (len(client_ids),):
        raise ValueError(f'num_examples has {sizes.shape} of {part}, expected [{len(client_ids)}].')
    empty = np.flatnonzero(self.num_examples['train'] < 1)
    if len(empty):
      raise examples.DataError(
        f'Client {client_ids[empty[0]]} has no training examples ({len(empty)} such clients of '
        f'{len(client_ids)}), expected at least one.'
      )
    self.cache_size, self.data_crc32 = cache_size, data_crc32
    self._read_client, self._row_shape, self._num_classes = read, tuple(row_shape), num_classes
    self._predicts = metrics.get_objective(objective)
    self._thread = _one_thread()
    self._lock = threading.Lock()
    # In the order in which they were last wanted.
    self._kept: dict[int, futures.Future[client_examples.ClientExamples]] = {}

  def read(self, number: int) -> client_examples.ClientExamples:
    """Returns a client's examples, waited for; DataError if they are missing, damaged or others."""
    return self._fetch(number).result()

  def prefetch(self, numbers: Sequence[int]) -> None:
    """Begins to read clients, as many of the first as are kept; returns at once."""
    for number in numbers[: self.cache_size]:
      self._fetch(number)

  def give_up(self) -> None:
    """Drops what is still to be read, so that a program that ends need not wait for it."""
    with self._lock:
      self._thread.shutdown(wait=False, cancel_futures=True)
      self._thread = _one_thread()
      self._kept.clear()

  def federate(self) -> federated.FederatedData:
    """Returns the clients as a data set without a common test set; no client is read."""
    kind = np.int32 if self._predicts.predicts_classes else np.float32
    no_labels = np.zeros([0, *self._label_shape], kind)
    nothing = examples.Examples(np.zeros([0, *self._row_shape], np.float32), no_labels)
    return federated.FederatedData(
      clients=tuple(
        client_examples.UnreadClient(client_id, number, self)
        for number, client_id in enumerate(self.client_ids)
      ),
      test=nothing,
      num_classes=self._num_classes,
      class_names=tuple(map(str, range(self._num_classes))),
      reader=self,
    )

  def _fetch(self, number: int) -> 'futures.Future[client_examples.ClientExamples]':
    with self._lock:
      future = self._kept.pop(number, None) or self._thread.submit(self._load, number)
      self._kept[number] = future
      while len(self._kept) > self.cache_size:
        del self._kept[next(iter(self._kept))]
    return future

  def _load(self, number: int) -> client_examples.ClientExamples:
    """Reads a client and checks that it is what the list of clients says."""
    client = self._read_client(number)
    where = f'client {self.client_ids[number]}'
    for part in client_parts.PARTS:
      of_part, size = getattr(client, part), self.num_examples[part][number]
      is_other = (
        of_part.objective != self._predicts.name or of_part.y.shape[1:] != self._label_shape
      )
      if of_part.x.shape != (size, *self._row_shape) or is_other:
        raise examples.DataError(
          f'{where}: its {part} examples are x {list(of_part.x.shape)} with y '
          f'{list(of_part.y.shape)}, expected x {[int(size), *self._row_shape]} with y '
          f'[{size}], as when the clients were listed.'
        )
      if self._predicts.predicts_classes:
        examples.check_labels(of_part.y, self._num_classes, f'{where} ({part})')
    return client

  @property
  def _label_shape(self) -> tuple[int, ...]:
    """The shape of one example's label."""
    return (self._num_classes,) if self._predicts.predicts_labels else ()


def _one_thread() -> futures.ThreadPoolExecutor:
  return futures.ThreadPoolExecutor(1, 'client-data')
