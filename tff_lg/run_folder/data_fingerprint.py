"""Tells whether a run's data are still those that it began with."""

import dataclasses
import json
import os
import weakref
import zlib
from typing import Any

import numpy as np

from tff_lg import data as data_lib
from tff_lg import file_names, files, strict_json
from tff_lg.data import client_parts

_WHAT = {
  'num_clients': 'number of clients',
  'crc32': "clients' ids or sizes",
  'data_crc32': 'examples',
}

# Baselines and trials of learning rates are runs on the same data.
_known: weakref.WeakKeyDictionary[data_lib.FederatedData, dict[str, Any]] = (
  weakref.WeakKeyDictionary()
)


def check_data(
  run_dir: str, federated_data: data_lib.FederatedData, option: str = '--run_dir'
) -> None:
  """Refuses data other than those that the run in a folder began with.

  Client states, scores and own models are by the clients' places in the list, so with other data a
  run would mix both. A folder without a fingerprint, as of an older run, is not checked.

  Args:
    run_dir: the run folder.
    federated_data: with all clients, also those that are held out.
    option: the flag that names the folder.

  Raises:
    ValueError: the data are others, or the file is damaged; one sentence.
  """
  path = os.path.join(run_dir, file_names.CLIENT_LIST)
  if not os.path.exists(path):
    return
  began_with = strict_json.load(path, _checked, 'delete it to resume without a check of the data')
  found = fingerprint(federated_data)
  for name, what in _WHAT.items():
    if name in began_with and name in found and began_with[name] != found[name]:
      raise ValueError(
        f'The data are not those that the run in {option}={run_dir} began with: the {what} differ '
        f'({file_names.CLIENT_LIST} has {began_with[name]}, found {found[name]}); put the data '
        'back, or choose another folder.'
      )


def write_fingerprint(run_dir: str, federated_data: data_lib.FederatedData) -> None:
  """Writes what `check_data` compares with; a file that is there stays."""
  path = os.path.join(run_dir, file_names.CLIENT_LIST)
  if not os.path.exists(path):
    files.write_atomically(path, strict_json.dumps(fingerprint(federated_data)))


def fingerprint(federated_data: data_lib.FederatedData) -> dict[str, int]:
  """Returns the number of clients, a CRC of their ids and sizes, and one of their examples.

  The examples of clients that are read when needed have the CRC that their reader gives, if any.
  """
  found = _known.get(federated_data)
  if found is None:
    clients = federated_data.clients
    listed = [[client.client_id, *map(client.size, client_parts.PARTS)] for client in clients]
    found = {'num_clients': len(clients), 'crc32': zlib.crc32(json.dumps(listed).encode())}
    reader = federated_data.reader
    crc = _crc_of_examples(federated_data) if reader is None else reader.data_crc32
    if crc is not None:
      found['data_crc32'] = crc
    _known[federated_data] = found
  return found


def _checked(began_with: Any) -> dict[str, int]:
  """Returns a fingerprint, of which those of older runs have two numbers; raises if it is none."""
  numbers = [began_with['num_clients'], began_with['crc32'], began_with.get('data_crc32', 0)]
  if not all(type(number) is int for number in numbers):
    raise ValueError(f'found {numbers}, expected whole numbers')
  return began_with


def _crc_of_examples(federated_data: data_lib.FederatedData) -> int:
  everybody = (*federated_data.clients, *federated_data.held_out)
  parts = [getattr(client, part) for client in everybody for part in client_parts.PARTS]
  crc = 0
  for examples in (*parts, federated_data.test):
    for field in dataclasses.fields(examples):
      array = getattr(examples, field.name)
      if array is not None and field.name != 'users':  # Users are in the clients.
        crc = zlib.crc32(repr((field.name, array.shape, array.dtype.str)).encode(), crc)
        crc = zlib.crc32(np.ascontiguousarray(array).data.cast('B') if array.size else b'', crc)
  return crc
