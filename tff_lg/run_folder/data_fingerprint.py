"""The fingerprint of a data set with all its parts: see `tff_lg.data_fingerprint`."""

import dataclasses
import weakref
from collections.abc import Iterator

import numpy as np

from tff_lg import data as data_lib
from tff_lg import data_fingerprint
from tff_lg.data import client_parts

# Baselines and trials of learning rates are runs on the same data.
_known: weakref.WeakKeyDictionary[data_lib.FederatedData, dict[str, int]] = (
  weakref.WeakKeyDictionary()
)


def check_data(
  run_dir: str, federated_data: data_lib.FederatedData, option: str = '--run_dir'
) -> None:
  """Refuses data other than those that the run in a folder began with.

  Args:
    run_dir: the run folder.
    federated_data: with all clients, also those that are held out.
    option: the flag that names the folder.

  Raises:
    ValueError: the data are others, or the file is damaged; one sentence.
  """
  data_fingerprint.check(run_dir, fingerprint(federated_data), option)


def write_fingerprint(run_dir: str, federated_data: data_lib.FederatedData) -> None:
  """Writes what `check_data` compares with; a file that is there stays."""
  data_fingerprint.write(run_dir, fingerprint(federated_data))


def fingerprint(federated_data: data_lib.FederatedData) -> dict[str, int]:
  """Returns the number of clients, a CRC of their ids and sizes, and one of their examples.

  The examples of clients that are read when needed have the CRC that their reader gives, if any.
  """
  found = _known.get(federated_data)
  if found is None:
    clients = federated_data.clients
    found = data_fingerprint.of_list(
      [client.client_id for client in clients],
      [map(client.size, client_parts.PARTS) for client in clients],
    )
    reader = federated_data.reader
    crc = reader.data_crc32 if reader else data_fingerprint.crc_of_arrays(_arrays(federated_data))
    if crc is not None:
      found[data_fingerprint.EXAMPLES_CRC] = crc
    _known[federated_data] = found
  return found


def _arrays(federated_data: data_lib.FederatedData) -> Iterator[tuple[str, np.ndarray]]:
  everybody = (*federated_data.clients, *federated_data.held_out)
  parts = [getattr(client, part) for client in everybody for part in client_parts.PARTS]
  for examples in (*parts, federated_data.test):
    for field in dataclasses.fields(examples):
      array = getattr(examples, field.name)
      if array is not None and field.name != 'users':  # Users are in the clients.
        yield field.name, array
