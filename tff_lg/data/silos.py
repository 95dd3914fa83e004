"""Silos from MATLAB files of cells, a client each: schools, sensors."""

import pathlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from tff_lg.data import client_examples, examples, federated, held_out, splits


class Silo(NamedTuple):
  """The examples of a silo.

  Attributes:
    x: float64 [n, num_features].
    y: float64 [n], what is predicted.
  """

  x: np.ndarray
  y: np.ndarray


class Kind(NamedTuple):
  """Words for the silos of a file.

  Attributes:
    file: its usual name.
    one: a silo.
    target: what is predicted, in the plural.
  """

  file: str
  one: str
  target: str


def to_clients(
  silos: Sequence[Silo],
  kind: Kind,
  *,
  target: Callable[[np.ndarray], np.ndarray],
  class_names: Sequence[str],
  test_fraction: float,
  validation_fraction: float,
  choose_held_out: held_out.ChooseHeldOut = held_out.nobody,
  seed: int = 0,
) -> federated.FederatedData:
  """Splits each silo at random and standardises its features, as Motley's cross-silo benchmark.

  Features are standardised by the mean and the standard deviation of the silo's own training
  examples. A feature that is the same for all of them is only centred.

  Args:
    silos: of all clients.
    kind: what they are, for the names of clients.
    target: (y of a silo) -> what is predicted, [n].
    class_names: of what is predicted; one for a number.
    test_fraction: of a silo, in [0, 1).
    validation_fraction: of the others, in [0, 1).
    choose_held_out: which of the silos take no part in training.
    seed: of the split.

  Returns:
    The clients `school_001`, ..., and the test examples of all that are not held out. x is float32
    [n, num_features].

  Wu et al. 2022, arXiv:2206.09262.
  """
  width = len(str(len(silos)))
  clients = {}
  for number, (silo, sequence) in enumerate(
    zip(silos, np.random.SeedSequence(seed).spawn(len(silos)), strict=True), start=1
  ):
    name = f'{kind.one}_{number:0{width}d}'
    rng = np.random.default_rng(sequence)
    parts = _split(len(silo.y), test_fraction, validation_fraction, rng)
    known = silo.x[parts[0]]
    deviations = known.std(axis=0)
    x = (silo.x - known.mean(axis=0)) / np.where(deviations > 0, deviations, 1)
    all_of_it = examples.Examples(x.astype(np.float32), target(silo.y))
    clients[name] = client_examples.ClientExamples(name, *map(all_of_it.take, parts))
  out = frozenset(choose_held_out(list(clients)))
  taking_part = tuple(client for name, client in clients.items() if name not in out)
  return federated.FederatedData(
    taking_part,
    examples.concatenate([client.test for client in taking_part]),
    len(class_names),
    tuple(class_names),
    held_out=tuple(client for name, client in clients.items() if name in out),
  )


def find_file(path: str, kind: Kind) -> pathlib.Path:
  """Returns the file of a path, or of its folder; `DataError` if there is none."""
  file = pathlib.Path(path).expanduser()
  file = file / kind.file if file.is_dir() else file
  if not file.is_file():
    raise examples.DataError(f'data_dir: {file} not found, expected {kind.file}, or its folder.')
  return file


def read_silos(path: str, kind: Kind) -> tuple[Silo, ...]:
  """Reads a MATLAB file with `X` and `Y`, cells of a silo each.

  Args:
    path: the file, or a folder with one of its usual name. `X` has matrices [n, num_features],
      `Y` n values each.
    kind: what the silos are.

  Raises:
    DataError: no such file, or one that is damaged or holds something else; one sentence.
  """
  from scipy import io  # It takes a while to import.

  file = find_file(path, kind)
  try:
    found = io.loadmat(file)
  except Exception as error:  # Its reader raises whatever a damaged file makes it raise.
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip('.')
    raise examples.DataError(f'{file}: cannot be read as a MATLAB file ({reason}).') from error
  cells = {}
  for name in ('X', 'Y'):
    if name not in found or found[name].dtype != object or not found[name].size:
      raise examples.DataError(f'{file}: {name} not found, expected cells, one per {kind.one}.')
    cells[name] = found[name].ravel()
  if len(cells['X']) != len(cells['Y']):
    raise examples.DataError(
      f'{file}: X has {len(cells["X"])} cells and Y {len(cells["Y"])}, expected one per {kind.one}.'
    )
  pairs = zip(cells['X'], cells['Y'], strict=True)
  silos = tuple(_silo(file, kind, number, *pair) for number, pair in enumerate(pairs, start=1))
  widths = sorted({silo.x.shape[1] for silo in silos})
  if len(widths) > 1:
    raise examples.DataError(
      f'{file}: {kind.one}s with {widths[0]} and {widths[1]} features, expected the same for all.'
    )
  return silos


def _silo(
  file: pathlib.Path, kind: Kind, number: int, features: np.ndarray, targets: np.ndarray
) -> Silo:
  try:
    x, y = (np.asarray(cell, np.float64) for cell in (features, targets))
  except (TypeError, ValueError) as error:
    raise examples.DataError(
      f'{file}: {kind.one} {number} has cells that are not numbers.'
    ) from error
  y = y.ravel()
  is_finite = np.isfinite(x).all() and np.isfinite(y).all()
  if x.ndim != 2 or not len(x) or len(x) != len(y) or not is_finite:
    raise examples.DataError(
      f'{file}: {kind.one} {number} has features {list(x.shape)} and {len(y)} {kind.target}, '
      f'expected finite features [n, k] and as many {kind.target}.'
    )
  return Silo(x, y)


def _split(
  num_examples: int, test_fraction: float, validation_fraction: float, rng: np.random.Generator
) -> tuple[np.ndarray, ...]:
  """Splits a silo: indices for training (at least one), validation and test."""
  alike = np.zeros(num_examples, np.int32)
  others, test = splits.hold_out(alike, test_fraction, rng)
  train, validation = splits.hold_out(alike[others], validation_fraction, rng)
  return others[train], others[validation], test
