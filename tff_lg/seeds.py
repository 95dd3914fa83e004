"""One seed for a run, split by purpose, so that changing one draw changes no other."""

import enum

import numpy as np


class Purpose(enum.IntEnum):
  """The uses of randomness; the numbers are part of the meaning of a seed."""

  PARTITION = 0
  SAMPLING = 1
  INITIALISATION = 2
  SHUFFLING = 3
  DROPOUT = 4
  NOISE = 5
  ATTACK = 6
  TROUBLE = 7
  ADAPTATION = 8
  NEW_DEVICE = 9
  SPLIT = 10
  EVALUATION = 11
  OWN_MODELS = 12
  VERDICTS = 13
  GROUPS = 14


def derive_seed(seed: int, purpose: Purpose, *path: int) -> int:
  """Derives a seed for a purpose, and for, say, a round and a client.

  Args:
    seed: the run's seed, not negative.
    purpose: what it is for.
    *path: numbers that tell one draw from the next.

  Returns:
    An int in [0, 2^31).
  """
  return int(_sequence(seed, purpose, path).generate_state(1)[0] >> 1)


def tensor_seed(seed: int, purpose: Purpose, *path: int) -> np.ndarray:
  """Returns the seed as an int32 [2] for TensorFlow's stateless random operations."""
  return _sequence(seed, purpose, path).generate_state(2).astype(np.int32)


def _sequence(seed: int, purpose: Purpose, path: tuple[int, ...]) -> np.random.SeedSequence:
  return np.random.SeedSequence(seed, spawn_key=(int(purpose), *path))
