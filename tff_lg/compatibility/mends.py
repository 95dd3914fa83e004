"""Mends TFF's own code: what later Pythons and TensorFlows refuse, and what is needlessly slow."""

import copy
import functools
import random
import types
from collections.abc import Callable
from typing import Any

from google.protobuf import message

_WITHOUT_LOOPS_ON_TENSORS = (
  'tensorflow_federated.python.learning.metrics.keras_utils',
  'tff_lg.models.functional_model',
)


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


def leave_unconverted(conversion_rules: Any) -> None:
  """Lets AutoGraph call functions of some modules as they are.

  TensorFlow rewrites the source of a function that it traces, for loops and conditions on tensors.
  These modules have none, and to rewrite them takes a tenth of the time in which a small network's
  process is built. Functions of users that they call are rewritten as before.

  Args:
    conversion_rules: AutoGraph's module, whose `CONVERSION_RULES` are added to.
  """
  conversion_rules.CONVERSION_RULES += tuple(
    map(conversion_rules.DoNotConvert, _WITHOUT_LOOPS_ON_TENSORS)
  )


def _draw_integer(low: float, high: float) -> int:
  return random.randint(int(low), int(high))


def _copy_sharing_datasets(iterator: Any, memo: dict[int, Any]) -> Any:
  """Copies an iterator; it holds data sets and their type, which never change."""
  del memo
  return copy.copy(iterator)


def remember_types(type_serialization: Any, type_proto: Any) -> None:
  """Lets TFF read each distinct type of a computation once.

  TFF reads the types of all parts of a computation again whenever it visits them. In 15 small
  programs with 960 different types, this takes 35,000 reads and a tenth of their time. A type never
  changes.

  Args:
    type_serialization: TFF's module, whose `deserialize_type` is replaced.
    type_proto: the class of a type's protocol buffer.
  """
  read = type_serialization.deserialize_type

  # As many as a hundred large programs have.
  @functools.lru_cache(maxsize=65536)
  def read_serialized(serialized: bytes) -> Any:
    return read(type_proto.FromString(serialized))

  def deserialize_type(proto: Any) -> Any:
    return read_serialized(proto.SerializeToString())

  type_serialization.deserialize_type = functools.wraps(read)(deserialize_type)


def tell_nesting(type_serialization: Any, building_block: Any) -> None:
  """Lets TFF say that a structure is nested too deeply, where protobuf says `DecodeError`.

  Args:
    type_serialization: TFF's module, whose `serialize_type` is replaced.
    building_block: the class of parts of computations, whose property `proto` is replaced.
  """
  type_serialization.serialize_type = _telling(type_serialization.serialize_type)
  building_block.proto = property(_telling(building_block.proto.fget))


def _telling(serialize: Callable[[Any], Any]) -> Callable[[Any], Any]:
  @functools.wraps(serialize)
  def serialize_or_tell(part: Any) -> Any:
    try:
      return serialize(part)
    except message.DecodeError as error:
      raise ValueError(
        'A structure in this computation is nested too deeply for TFF, whose protocol buffers hold '
        'about 30 levels: flatten it.'
      ) from error

  return serialize_or_tell
