"""Tells whether the data of a folder's run are still those that it began with."""

import json
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tff_lg import file_names, files, strict_json

# Entries of a fingerprint, and what differs where one of them does.
NUM_CLIENTS = 'num_clients'
LIST_CRC = 'crc32'
EXAMPLES_CRC = 'data_crc32'
TENSORS_CRC = 'tensors_crc32'
_WHAT = {
  NUM_CLIENTS: 'number of clients',
  LIST_CRC: "clients' ids or sizes",
  EXAMPLES_CRC: 'examples',
  TENSORS_CRC: 'examples',
}


def check(run_dir: str, found: Mapping[str, int], option: str = '--run_dir') -> None:
  """Refuses data other than those that the run in a folder began with.

  Client states, scores and own models are by the clients' places in the list, so with other data a
  run would mix both. A folder without a fingerprint, as of an older run, is not checked.

  Args:
    run_dir: the run folder.
    found: the data's fingerprint. Entries that only one of both has are not compared.
    option: the flag that names the folder.

  Raises:
    ValueError: the data are others, or the file is damaged; one sentence.
  """
  path = os.path.join(run_dir, file_names.CLIENT_LIST)
  if not os.path.exists(path):
    return
  began_with = strict_json.load(path, _checked, 'delete it to resume without a check of the data')
  for name, what in _WHAT.items():
    if name in began_with and name in found and began_with[name] != found[name]:
      raise ValueError(
        f'The data are not those that the run in {option}={run_dir} began with: the {what} differ '
        f'({file_names.CLIENT_LIST} has {began_with[name]}, found {found[name]}); put the data '
        'back, or choose another folder.'
      )


def _checked(began_with: Any) -> dict[str, int]:
  """Returns a fingerprint, of which those of older runs have two numbers; raises if it is none."""
  crcs = [began_with.get(name, 0) for name in (EXAMPLES_CRC, TENSORS_CRC)]
  numbers = [began_with[NUM_CLIENTS], began_with[LIST_CRC], *crcs]
  if not all(type(number) is int for number in numbers):
    raise ValueError(f'found {numbers}, expected whole numbers')
  return began_with


def write(run_dir: str, found: Mapping[str, int]) -> None:
  """Writes what `check` compares with; a file that is there stays."""
  path = os.path.join(run_dir, file_names.CLIENT_LIST)
  if not os.path.exists(path):
    files.write_atomically(path, strict_json.dumps(found))


def of_list(ids: Sequence[str], sizes: Sequence[Iterable[int]]) -> dict[str, int]:
  """Returns the entries of clients' names and of the sizes of each one's parts."""
  listed = [[str(name), *map(int, of_client)] for name, of_client in zip(ids, sizes, strict=True)]
  return {NUM_CLIENTS: len(listed), LIST_CRC: zlib.crc32(json.dumps(listed).encode())}


def crc_of_arrays(arrays: Iterable[tuple[str, np.ndarray]]) -> int:
  """Returns a CRC of arrays with names, by their order, shapes, types and values."""
  crc = 0
  for name, array in arrays:
    crc = zlib.crc32(repr((name, array.shape, array.dtype.str)).encode(), crc)
    if array.dtype.hasobject:
      crc = zlib.crc32(repr(array.tolist()).encode(), crc)
    else:
      crc = zlib.crc32(np.ascontiguousarray(array).reshape(-1).view(np.uint8), crc)
  return crc
