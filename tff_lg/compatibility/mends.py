"""Mends TFF's own code where later Pythons and TensorFlows refuse what it does."""

import copy
import random
import types
from typing import Any


def mend(tff: types.ModuleType) -> None:
  """Mends what fails on Python 3.12 and TensorFlow 2.21; elsewhere it changes no result.

  Args:
    tff: TensorFlow Federated.
  """
  # Models of EMNIST draw a seed up to 1e9, a float, which Python 3.12 refuses.
  tff.simulation.baselines.emnist.emnist_models.random = types.SimpleNamespace(
    randint=_draw_integer
  )
  # `train_model` copies its data source each round; data sets of TensorFlow 2.21 cannot be copied.
  tff.program.DatasetDataSourceIterator.__deepcopy__ = _copy_sharing_datasets


def _draw_integer(low: float, high: float) -> int:
  return random.randint(int(low), int(high))


def _copy_sharing_datasets(iterator: Any, memo: dict[int, Any]) -> Any:
  """Copies an iterator; it holds data sets and their type, which never change."""
  del memo
  return copy.copy(iterator)
