"""The choices of the experiment on fair representations."""

import dataclasses
import math

from tff_lg.config import own_models as own_models_lib

PARTITIONS = ('iid', 'non_iid')
METHODS = (own_models_lib.LOCAL_ONLY, 'fedavg', 'lg_fedavg')
# Layers of the network up to its representation.
LAYERS_TO_H = 3
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
    halve_rows: whether `adult.data` has both training and test rows, a half each.
    methods: of `METHODS`.
    hidden_units: of the network, three layers up to its representation and maybe more.
    adversary_dropout_rate: after each hidden layer of the adversary.
    pretrain_epochs: epochs that each device trains alone before the joint rounds.
    rounds: joint rounds.
    client_epochs: of each device in a joint round.
    local_budget: of `own_models.BUDGETS`; how long `local_only` trains.
    own_models: what a device trains alone to its best (local_budget best), of
      `own_models.OWN_MODELS`. `network` is the method `local_only`, `linear` the method
      `own_linear` and so on. The simple ones predict income and have no representation.
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
  halve_rows: bool = False
  methods: tuple[str, ...] = METHODS
  hidden_units: tuple[int, ...] = (32, 32, 32, 32)
  adversary_dropout_rate: float = 0.0
  pretrain_epochs: int = 10
  rounds: int = 10
  client_epochs: int = 1
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
    if not all(map(math.isfinite, self.lambdas)) or 0 in self.lambdas:
      found = ','.join(map(str, self.lambdas))
      raise ValueError(f'--lambdas is {found}, expected numbers above 0: 0 is always tried.')
    for flag, given, possible in (
      ('partitions', self.partitions, PARTITIONS),
      ('methods', self.methods, METHODS),
    ):
      if not given or not set(given) <= set(possible) or len(set(given)) < len(given):
        found = ','.join(given) or 'empty'
        raise ValueError(f'--{flag} is {found}, expected some of {",".join(possible)}, each once.')
    if len(self.hidden_units) < LAYERS_TO_H or min(self.hidden_units) < 1:
      found = ','.join(map(str, self.hidden_units)) or 'empty'
      raise ValueError(f'--hidden_units is {found}, expected {LAYERS_TO_H} sizes or more.')
    if not 0 <= self.adversary_dropout_rate < 1:
      raise ValueError(
        f'--adversary_dropout_rate is {self.adversary_dropout_rate}, expected in [0, 1).'
      )
    if self.halve_rows and self.data_dir is None:
      raise ValueError('--halve_rows halves the rows of adult.data, but --data_dir is not given.')
    if self.train_rows < 10 * self.num_clients:
      raise ValueError(
        f'--train_rows is {self.train_rows}, expected at least {10 * self.num_clients}, ten a '
        'device.'
      )

  @property
  def num_runs(self) -> int:
    """How many runs `run_fair` yields."""
    num_own = len(self.own_models) if self.trains_to_best else int(self.trains_alone)
    num_joint = len(set(self.methods) - {own_models_lib.LOCAL_ONLY})
    of_a_seed = len(self.partitions) * (num_own + num_joint * (1 + len(self.lambdas)))
    return of_a_seed * len(self.seeds)

  @property
  def trains_alone(self) -> bool:
    """Whether devices train models alone."""
    return own_models_lib.LOCAL_ONLY in self.methods

  @property
  def trains_to_best(self) -> bool:
    """Whether devices train models alone to their best."""
    return self.trains_alone and self.local_budget == 'best'

  @property
  def own_model_options(self) -> own_models_lib.OwnModelOptions:
    """The options of own models alone."""
    names = (field.name for field in dataclasses.fields(own_models_lib.OwnModelOptions))
    return own_models_lib.OwnModelOptions(**{name: getattr(self, name) for name in names})
