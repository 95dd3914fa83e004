"""The choices of the experiment on fair representations."""

import dataclasses

import numpy as np

from tff_lg.config import own_models as own_models_lib

PARTITIONS = ('iid', 'non_iid')
_TO_BEST = own_models_lib.defaults()


@dataclasses.dataclass(frozen=True)
class FairConfig:
  """Settings of the experiment; defaults are the paper's.

  Attributes:
    data_dir: folder with the files of Adult; None for the synthetic table.
    partitions: of `PARTITIONS`. `non_iid` is rows sorted by income, in ten shards per device.
    lambdas: strengths of the adversary, tried beside 0.
    seeds: each repeats everything, from the draw of the rows on.
    num_clients: devices, all in every round.
    train_rows: training rows of all devices together.
    pretrain_epochs: epochs that each device trains alone.
    rounds: joint rounds of one epoch.
    local_budget: of `own_models.BUDGETS`; how long `local_only` trains.
    own_models: what a device trains alone to its best (local_budget best), of
      `own_models.OWN_MODELS`: `network` is the method `local_only`, `linear` the method
      `own_linear` and so on, which predict income and have no representation.
    local_only_epochs: epochs of a device's own network at most (local_budget best).
    local_only_patience: epochs without a lower loss on held-out rows after which it stops.
    local_only_learning_rate: those tried; None for a grid around that of the other methods.
  """

  data_dir: str | None = None
  partitions: tuple[str, ...] = PARTITIONS
  lambdas: tuple[float, ...] = (1.0,)
  seeds: tuple[int, ...] = (0,)
  num_clients: int = 10
  train_rows: int = 15_000
  pretrain_epochs: int = 10
  rounds: int = 10
  local_budget: str = 'best'
  own_models: tuple[str, ...] = (own_models_lib.NETWORK, 'linear')
  local_only_epochs: int = _TO_BEST['local_only_epochs']
  local_only_patience: int = _TO_BEST['local_only_patience']
  local_only_learning_rate: tuple[float, ...] | None = None

  def __post_init__(self) -> None:
    own_models_lib.check(self.own_model_options)
    for name, values, known in (
      ('local_budget', (self.local_budget,), own_models_lib.BUDGETS),
      ('own_models', self.own_models, own_models_lib.OWN_MODELS),
    ):
      unknown = [value for value in values if value not in known]
      if unknown:
        raise ValueError(f'--{name} is {unknown[0]}, expected one of {", ".join(known)}.')
    for name, numbers in (('lambdas', self.lambdas), ('seeds', self.seeds)):
      if not numbers or len(set(numbers)) < len(numbers) or not min(numbers) >= 0:
        found = ','.join(map(str, numbers)) or 'empty'
        raise ValueError(f'--{name} is {found}, expected different numbers, 0 or more.')
    if not np.isfinite(self.lambdas).all() or 0 in self.lambdas:
      found = ','.join(map(str, self.lambdas))
      raise ValueError(f'--lambdas is {found}, expected numbers above 0: 0 is always tried.')
    names = set(self.partitions)
    if not names or not names <= set(PARTITIONS) or len(names) < len(self.partitions):
      found = ','.join(self.partitions) or 'empty'
      raise ValueError(
        f'--partitions is {found}, expected some of {",".join(PARTITIONS)}, each once.'
      )
    if self.train_rows < 10 * self.num_clients:
      raise ValueError(
        f'--train_rows is {self.train_rows}, expected at least {10 * self.num_clients}, ten a '
        'device.'
      )

  @property
  def num_runs(self) -> int:
    """How many runs `run_fair` yields."""
    num_own = len(self.own_models) if self.local_budget == 'best' else 1
    of_a_seed = len(self.partitions) * (num_own + 2 * (1 + len(self.lambdas)))
    return of_a_seed * len(self.seeds)

  @property
  def own_model_options(self) -> own_models_lib.OwnModelOptions:
    """The options of own models alone."""
    names = (field.name for field in dataclasses.fields(own_models_lib.OwnModelOptions))
    return own_models_lib.OwnModelOptions(**{name: getattr(self, name) for name in names})
