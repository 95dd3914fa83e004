"""The choices of an adaptation run, one field each; `pipelines.adapt` makes its flags of them."""

import dataclasses
import itertools
from collections.abc import Callable
from typing import Any

from tff_lg import metrics
from tff_lg.adaptation import ADAPTATIONS, RATE_FACTORS
from tff_lg.config import optimization, own_models
from tff_lg.config.entry_options import EntryOptions
from tff_lg.config.option import ConfigError, check_values, option
from tff_lg.config.train_config import TrainConfig

TECHNIQUE_OPTIONS = EntryOptions(ADAPTATIONS, 'adaptation', keeps_defaults=True)
_TechniqueOptions: Any = TECHNIQUE_OPTIONS.make_class()

VALIDATION_CLIENTS = 'validation_clients'
CHOICES = ('client', 'global', VALIDATION_CLIENTS)
STARTS = ('trained', 'initial')
RETRAIN_WITHOUT = ('federated', 'best')


@dataclasses.dataclass(frozen=True)
class AdaptConfig(_TechniqueOptions, own_models.OwnModelOptions):
  """The choices of a run; None stands for what the source run has.

  A list of several numbers is tried; where two adaptations' lists are of different options,
  each adaptation tries all combinations of its own.

  Raises:
    ConfigError: the first choice that cannot be, in one sentence.
  """

  from_run: str | None = option(
    None, 'Folder of a finished run of `pipelines.train`.', is_path=True
  )
  data_dir: str | None = option(
    None,
    "Folder with the source run's data, where they have moved; for --task=embeddings the folder "
    'with its files.',
    is_path=True,
  )
  adaptation: tuple[str, ...] = option(
    tuple(name for name, technique in ADAPTATIONS.items() if technique.is_default),
    'Techniques of local adaptation, separated by commas.',
    tuple(ADAPTATIONS),
  )
  epochs: int = option(
    10, 'Largest number of epochs of adaptation; validation data choose the number.'
  )
  evaluate_every_epochs: int = option(
    1, 'Epochs between evaluations on validation data, a divisor of --epochs.'
  )
  learning_rate: tuple[float, ...] | None = option(
    None,
    'Learning rate of adaptation, or several to choose from; by default that of the clients of the '
    'source run, a tenth and a hundredth of it.',
  )
  momentum: float | None = option(
    None, 'Momentum of adaptation; by default that of the clients of the source run.'
  )
  batch_size: int | None = option(None, "Batch size of adaptation; the source run's by default.")
  choose: str = option(
    'client',
    'Choice of the epoch (and learning rate, ...): by each client on its validation data, or by '
    'all clients together on all validation data. Epoch 0, the federated model, is a candidate. '
    'With validation_clients, only held-out clients are adapted, all with what is best on average '
    "over the source run's --validation_clients.",
    CHOICES,
  )
  start: str = option(
    'trained',
    "Weights at epoch 0: trained, the source run's; initial, those that its rounds began with, so "
    'that clients learn alone.',
    STARTS,
  )
  selection_metric: str | None = option(
    None,
    "Metric on validation data that chooses the epoch; the source run's by default.",
    # A few examples need not define the others.
    tuple(name for name, metric in metrics.METRICS.items() if metric.is_always_defined),
  )
  local_only_from: str | None = option(
    None,
    'Folder of another run of `pipelines.train` or `pipelines.adapt`, of the same clients. The '
    "comparison is with its own models. By default it is with those of the source run's baseline "
    'local_only, or with new ones if an option sets how to train them.',
    is_path=True,
  )
  aggregate_epochs: tuple[int, ...] | None = option(
    None,
    'After each of these numbers of epochs of each adaptation, all clients take part in one more '
    'round. The mean of their adapted models is scored beside the federated model.',
  )
  retrain_without: str | None = option(
    None,
    'Train the source run once more, in RUN_DIR/retrained, without some clients: those that this '
    'model, federated or best, serves worse than their own local one on validation data.',
    RETRAIN_WITHOUT,
  )
  max_clients: int | None = option(
    None,
    'Number of clients to adapt, drawn at random; by default all that the source run evaluated.',
  )
  clients_per_chunk: int | None = option(
    None,
    'Clients adapted between two writes to disk; as many as have 256 MB of weights by default, '
    '100 at most.',
  )
  seed: int = option(0, 'Seed of the order of examples, and of draws for --max_clients and EWC.')

  def __post_init__(self) -> None:
    check_values(self)
    if not self.adaptation or len(set(self.adaptation)) < len(self.adaptation):
      raise ConfigError(
        f'--adaptation is {",".join(self.adaptation) or "empty"}, expected one or more of '
        f'{", ".join(ADAPTATIONS)}, each once.'
      )
    TECHNIQUE_OPTIONS.check(self, self.adaptation, ','.join(self.adaptation))
    for name in itertools.chain.from_iterable(map(_lists, self.adaptation)):
      if getattr(self, name) == ():
        raise ConfigError(f'--{name} is empty, expected one number or more.')
    for names, allowed, expected in (
      (
        'epochs evaluate_every_epochs learning_rate batch_size max_clients clients_per_chunk',
        lambda value: value > 0,
        'more than 0',
      ),
      ('seed', lambda value: value >= 0, '0 or more'),
      ('momentum', lambda value: 0 <= value < 1, 'in [0, 1)'),
    ):
      for name in names.split():
        self._check_range(name, allowed, expected)
    if self.epochs % self.evaluate_every_epochs:
      raise ConfigError(
        f'--evaluate_every_epochs is {self.evaluate_every_epochs}, expected a divisor of '
        f'--epochs, {self.epochs}.'
      )
    for epochs in self.aggregate_epochs or ():
      if not 0 < epochs <= self.epochs or epochs % self.evaluate_every_epochs:
        raise ConfigError(
          f'--aggregate_epochs has {epochs}, expected multiples of --evaluate_every_epochs, '
          f'{self.evaluate_every_epochs}, of at most --epochs, {self.epochs}.'
        )
    if self.aggregate_epochs and self.choose == VALIDATION_CLIENTS:
      raise ConfigError(
        f'--aggregate_epochs is given, but --choose={VALIDATION_CLIENTS} adapts held-out clients '
        'alone: nobody takes part in another round.'
      )
    own_models.check(self)
    if self.trains_own_models and self.local_only_from is not None:
      raise ConfigError(
        '--local_only_from takes own models of another run, but other options say how to train '
        'them: give one of both.'
      )

  @property
  def trains_own_models(self) -> bool:
    """Whether an option says how to train own models."""
    return any(getattr(self, name) is not None for name in own_models.OF_BEST)

  def _check_range(self, name: str, allowed: Callable[[float], bool], expected: str) -> None:
    value = getattr(self, name)
    for item in value if isinstance(value, tuple) else (value,):
      if item is not None and not allowed(item):
        raise ConfigError(f'--{name} is {item}, expected {expected}.')

  def settings(self, adaptation: str) -> tuple[dict[str, float], ...]:
    """Returns the combinations that an adaptation tries, options by name, of a resolved config."""
    technique = ADAPTATIONS[adaptation]
    values = itertools.product(*(getattr(self, option) for option in _lists(adaptation)))
    names = (*(('learning_rate',) if technique.trains else ()), *technique.tried)
    return tuple(dict(zip(names, chosen, strict=True)) for chosen in values)


def resolve_adapt(config: AdaptConfig, source: TrainConfig) -> AdaptConfig:
  """Fills in what is the source run's.

  Args:
    config: as the user gave it.
    source: of the run whose models are adapted, resolved.

  Returns:
    The config without any None that stands for a default. None stays in `batch_size` for a run
    without batches, where it means all of a client's examples. It also stays in options of
    techniques that are not chosen.
  """
  techniques = [ADAPTATIONS[name] for name in config.adaptation]
  rate_of_source = optimization.learning_rate(source, 'client')
  factors = {each.rates: each.rate_factors for each in techniques if each.rates is not None}
  rates = {
    name: config.learning_rate or tuple(_times(factor, rate_of_source) for factor in of)
    for name, of in ({'learning_rate': RATE_FACTORS} | factors).items()
  }
  defaults: dict[str, Any] = {
    **rates,
    'momentum': source.client_momentum,
    'batch_size': source.batch_size,
    'selection_metric': metrics.for_few_examples(source.selection_metric or 'accuracy'),
  }
  for technique in techniques:
    defaults |= technique.defaults(config, source)
  return dataclasses.replace(
    config,
    **{name: value for name, value in defaults.items() if getattr(config, name) in (None, ())},
  )


def _lists(adaptation: str) -> tuple[str, ...]:
  """Returns the options of a technique of which several values are tried."""
  rates, tried = ADAPTATIONS[adaptation].rates, ADAPTATIONS[adaptation].tried
  return tried if rates is None else (rates, *tried)


def _times(factor: float, value: float) -> float:
  """Returns the product as people write it: a tenth of 0.05 is 0.005."""
  return float(f'{factor * value:.12g}')


def fast_adapt(config: AdaptConfig) -> AdaptConfig:
  """Returns the config for two epochs of a few clients, with one setting each and no retraining."""
  lists = {name: getattr(config, name) for each in config.adaptation for name in _lists(each)}
  changes = {name: of and of[:1] for name, of in lists.items() if name != 'learning_rate'}
  for each in config.adaptation:
    changes |= ADAPTATIONS[each].fast(config)
  return dataclasses.replace(
    config,
    **changes,
    epochs=min(config.epochs, 2),
    evaluate_every_epochs=1,
    local_only_epochs=2 if config.trains_own_models else None,
    aggregate_epochs=config.aggregate_epochs
    and tuple(sorted({min(epochs, 2) for epochs in config.aggregate_epochs})),
    retrain_without=None,
    learning_rate=(config.learning_rate or (0.01,))[:1],
    max_clients=min(config.max_clients or 5, 5),
  )


TECHNIQUE_OPTIONS.check_names(AdaptConfig)
