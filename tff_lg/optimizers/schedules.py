"""Learning rates by round, each schedule with its options."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import attrs

from tff_lg import entries
from tff_lg.entries import option
from tff_lg.option_check import NOT_NEGATIVE, POSITIVE, SHARE

if TYPE_CHECKING:  # TensorFlow takes seconds to import.
  import tensorflow as tf

# Rounds done, an int32 scalar -> learning rate, a float32 scalar.
RateFn = Callable[['tf.Tensor'], 'tf.Tensor']


class Schedule(Protocol):
  """The options of a schedule."""

  def build(self, learning_rate: float, num_rounds: int) -> RateFn | None:
    """Builds the rate of each round; None where it is `learning_rate` in all of them.

    Args:
      learning_rate: of the first round.
      num_rounds: of the phase, a warm start or the method's own rounds.
    """


@attrs.frozen
class Constant:
  """A constant rate in all rounds."""

  def build(self, learning_rate: float, num_rounds: int) -> RateFn | None:
    """Returns None."""
    return None


@attrs.frozen
class Inverse:
  """The rate divided by 1 + d t in round t, counted from 0 in each phase."""

  learning_rate_decay: float = option(
    0.0, 'd: the learning rate of round t, counted from 0, is divided by 1 + d * t', NOT_NEGATIVE
  )

  def build(self, learning_rate: float, num_rounds: int) -> RateFn | None:
    """Builds the rate of each round; None for d = 0."""
    return _inverse(learning_rate, self.learning_rate_decay) if self.learning_rate_decay else None


@attrs.frozen
class Cosine:
  """Half a cosine from the rate down to a share of it. Loshchilov and Hutter 2017, no restarts."""

  cosine_floor: float = option(
    0.0, 'Share of the learning rate that is left at the end of the rounds', SHARE
  )

  def build(self, learning_rate: float, num_rounds: int) -> RateFn | None:
    """Builds the rate of each round."""

    def rate(round_num: 'tf.Tensor') -> 'tf.Tensor':
      import tensorflow as tf

      done = tf.minimum(tf.cast(round_num, tf.float32) / num_rounds, 1.0)
      left = (1.0 + tf.cos(math.pi * done)) / 2.0
      return learning_rate * (self.cosine_floor + (1.0 - self.cosine_floor) * left)

    return rate


@attrs.frozen
class Step:
  """The rate times a factor after each so many rounds."""

  step_rounds: int = option(
    attrs.NOTHING, 'Rounds between two changes of the learning rate', POSITIVE
  )
  step_factor: float = option(0.1, 'Factor by which the learning rate is multiplied', POSITIVE)

  def build(self, learning_rate: float, num_rounds: int) -> RateFn | None:
    """Builds the rate of each round."""

    def rate(round_num: 'tf.Tensor') -> 'tf.Tensor':
      import tensorflow as tf

      return learning_rate * self.step_factor ** tf.cast(round_num // self.step_rounds, tf.float32)

    return rate


@attrs.frozen(kw_only=True)
class ScheduleEntry(entries.Entry):
  """A schedule that a flag can name; its options build it, see `Schedule`.

  Attributes:
    needs_num_rounds: whether the rates depend on the number of rounds.
  """

  needs_num_rounds: bool = False


SCHEDULES: entries.Registry[ScheduleEntry] = entries.Registry('schedule')

for _entry in (
  ScheduleEntry(name='inverse', label='inverse', options=Inverse),
  ScheduleEntry(name='constant', label='constant', options=Constant),
  ScheduleEntry(name='cosine', label='cosine', options=Cosine, needs_num_rounds=True),
  ScheduleEntry(name='step', label='step', options=Step),
):
  SCHEDULES.register(_entry)


def _inverse(learning_rate: float, decay: float) -> RateFn:
  def rate(round_num: 'tf.Tensor') -> 'tf.Tensor':
    import tensorflow as tf

    return learning_rate / (1.0 + decay * tf.cast(round_num, tf.float32))

  return rate
