"""The optimisers that clients and server may have: TFF's own, each with its options."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import attrs

from tff_lg import entries
from tff_lg.entries import option
from tff_lg.option_check import BELOW_ONE, NOT_NEGATIVE, POSITIVE

if TYPE_CHECKING:  # TFF takes seconds to import.
  from tff_lg.compatibility import tff

_BETA_2 = 'Decay of the mean of squared gradients'
_EPSILON = 'tau: constant added to what a step is divided by, in adagrad inside the square root'
_WEIGHT_DECAY = 'Share by which a step shrinks each weight, times the learning rate'
_DECAY_NOTE = 'With SGD it is the gradient of an L2 penalty, and so part of the momentum.'
_ACCUMULATOR = 'Value that sums or means of squared gradients start from'


class Options(Protocol):
  """The options of an optimiser."""

  def build(self, learning_rate: float) -> 'tff.learning.optimizers.Optimizer':
    """Builds the optimiser of TFF."""


@attrs.frozen(kw_only=True)
class _Clipped:
  """The options that all optimisers have in common."""

  gradient_clip_norm: float | None = option(
    None,
    'L2 norm over all weights that the gradient of a step is clipped to',
    POSITIVE,
    by_default='no clipping',
  )

  def _shape(
    self, optimizer: 'tff.learning.optimizers.Optimizer', weight_decay: float = 0.0
  ) -> 'tff.learning.optimizers.Optimizer':
    from tff_lg.optimizers import shaped_gradients

    return shaped_gradients.shape_gradients(optimizer, self.gradient_clip_norm, weight_decay)


@attrs.frozen(kw_only=True)
class Sgd(_Clipped):
  """Gradient descent, with momentum if it is more than 0; weight decay is an L2 penalty."""

  momentum: float = option(0.0, 'Momentum, the share of the velocity that is kept', BELOW_ONE)
  weight_decay: float = option(0.0, _WEIGHT_DECAY, NOT_NEGATIVE, more=_DECAY_NOTE)

  def build(self, learning_rate: float) -> 'tff.learning.optimizers.Optimizer':
    """Builds the optimiser of TFF."""
    return self._shape(_tff().build_sgdm(learning_rate, self.momentum), self.weight_decay)


@attrs.frozen(kw_only=True)
class _Adaptive(_Clipped):
  """The options that Adam and Yogi have in common."""

  beta_1: float = option(0.9, 'Decay of the mean of gradients', BELOW_ONE)
  beta_2: float = option(0.999, _BETA_2, BELOW_ONE)


@attrs.frozen(kw_only=True)
class Adam(_Adaptive):
  """Adam with bias correction. Kingma and Ba 2015, Algorithm 1."""

  epsilon: float = option(1e-7, _EPSILON, POSITIVE)

  def build(self, learning_rate: float) -> 'tff.learning.optimizers.Optimizer':
    """Builds the optimiser of TFF."""
    optimizer = _tff().build_adam(learning_rate, self.beta_1, self.beta_2, self.epsilon)
    return self._shape(optimizer)


@attrs.frozen(kw_only=True)
class AdamW(Adam):
  """Adam whose weight decay is not part of the gradient. Loshchilov and Hutter 2019."""

  weight_decay: float = option(0.004, _WEIGHT_DECAY, NOT_NEGATIVE, more=_DECAY_NOTE)

  def build(self, learning_rate: float) -> 'tff.learning.optimizers.Optimizer':
    """Builds the optimiser of TFF."""
    optimizer = _tff().build_adamw(
      learning_rate, self.beta_1, self.beta_2, self.epsilon, self.weight_decay
    )
    return self._shape(optimizer)


@attrs.frozen(kw_only=True)
class Yogi(_Adaptive):
  """Yogi: second moments grow by a bounded amount. Zaheer et al. 2018."""

  epsilon: float = option(1e-3, _EPSILON, POSITIVE)
  initial_accumulator: float = option(1e-6, _ACCUMULATOR, NOT_NEGATIVE)

  def build(self, learning_rate: float) -> 'tff.learning.optimizers.Optimizer':
    """Builds the optimiser of TFF."""
    optimizer = _tff().build_yogi(
      learning_rate, self.beta_1, self.beta_2, self.epsilon, self.initial_accumulator
    )
    return self._shape(optimizer)


@attrs.frozen(kw_only=True)
class Adagrad(_Clipped):
  """Adagrad; epsilon stands inside the square root. Duchi et al. 2011."""

  initial_accumulator: float = option(0.1, _ACCUMULATOR, NOT_NEGATIVE)
  epsilon: float = option(1e-7, _EPSILON, POSITIVE)

  def build(self, learning_rate: float) -> 'tff.learning.optimizers.Optimizer':
    """Builds the optimiser of TFF."""
    optimizer = _tff().build_adagrad(learning_rate, self.initial_accumulator, self.epsilon)
    return self._shape(optimizer)


@attrs.frozen(kw_only=True)
class RmsProp(_Clipped):
  """RMSProp. Tieleman and Hinton 2012."""

  beta_2: float = option(0.9, _BETA_2, BELOW_ONE)
  epsilon: float = option(1e-7, _EPSILON, POSITIVE)

  def build(self, learning_rate: float) -> 'tff.learning.optimizers.Optimizer':
    """Builds the optimiser of TFF."""
    return self._shape(_tff().build_rmsprop(learning_rate, self.beta_2, self.epsilon))


@attrs.frozen(kw_only=True)
class OptimizerEntry(entries.Entry):
  """An optimiser that a flag can name; its options build it, see `Options`.

  Attributes:
    learning_rate: the default by role, client and server.
    defaults: of options whose default depends on the role, by role and name.
    is_adaptive: whether a step depends on the size of earlier gradients, so that the server's
      learning rate is not a factor of the mean update.
    takes_mean: whether, with learning rate 1 and options by default, the server's step is the
      clients' mean update.
  """

  learning_rate: Mapping[str, float] = attrs.field(
    factory=lambda: {'client': 0.001, 'server': 0.01}
  )
  defaults: Mapping[str, Mapping[str, float]] = attrs.field(factory=dict)
  is_adaptive: bool = True
  takes_mean: bool = False


OPTIMIZERS: entries.Registry[OptimizerEntry] = entries.Registry('optimizer')

_PLAIN = {'client': 0.05, 'server': 1.0}
_BOTH = {'client': {'momentum': 0.9}, 'server': {'momentum': 0.9}}

for _entry in (
  OptimizerEntry(
    name='sgd',
    label='SGD',
    options=Sgd,
    learning_rate=_PLAIN,
    defaults={'client': {'momentum': 0.5}},
    is_adaptive=False,
    takes_mean=True,
  ),
  OptimizerEntry(
    name='momentum',
    label='SGD with momentum',
    options=Sgd,
    learning_rate=_PLAIN,
    defaults=_BOTH,
    is_adaptive=False,
  ),
  OptimizerEntry(name='adam', label='Adam', options=Adam),
  OptimizerEntry(name='adamw', label='AdamW', options=AdamW),
  OptimizerEntry(name='adagrad', label='Adagrad', options=Adagrad),
  OptimizerEntry(name='yogi', label='Yogi', options=Yogi),
  OptimizerEntry(name='rmsprop', label='RMSProp', options=RmsProp),
):
  OPTIMIZERS.register(_entry)


def _tff() -> Any:
  from tff_lg.compatibility import tff

  return tff.learning.optimizers
