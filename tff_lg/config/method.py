"""The method, its baselines and how long they train; the methods' options, made of the entries."""

import dataclasses
from typing import Any

from tff_lg.config import own_models, split
from tff_lg.config.entry_options import METHOD_OPTIONS
from tff_lg.config.option import option
from tff_lg.learning.methods import METHODS as _METHODS

METHODS = tuple(_METHODS)
_EntryOptions: Any = METHOD_OPTIONS.make_class()


@dataclasses.dataclass(frozen=True)
class MethodOptions(_EntryOptions):
  """The methods and their rounds; None stands for a default that depends on other choices."""

  method: str = option('lg_fedavg', 'The method after the warm start.', METHODS)
  baselines: tuple[str, ...] | None = option(
    None, 'Methods run for comparison with the same budget; local_only by default.', METHODS
  )
  local_budget: str = option(
    'best',
    'How long local_only trains, as a method or a baseline. best: each client trains until its '
    'validation data show no more progress, whatever --clients_per_round is; cohort: each client '
    'trains only in the rounds in which it is sampled, as with the federated methods.',
    own_models.BUDGETS,
  )
  rounds: int = option(
    100, 'Rounds of the method. A finished run continues if this number is raised.'
  )
  warm_start_rounds: int = option(0, 'FedAvg rounds before the rounds of the method.')
  warm_start_from: str | None = option(
    None,
    'Folder of a finished run of --method=fedavg, whose rounds are the first of '
    '--warm_start_rounds: they are copied, not trained again. It has the same data, seed and '
    'settings of its rounds. None by default.',
  )

  @property
  def total_rounds(self) -> int:
    """Rounds of the warm start and of the method."""
    return self.warm_start_rounds + self.rounds

  @property
  def picks_split(self) -> bool:
    """Whether the run picks its global layers itself."""
    return self.global_layers == split.AUTO

  @property
  def trains_to_best(self) -> bool:
    """Whether the run is local learning in which each client trains to its best."""
    return not _METHODS[self.method].sends_updates and self.local_budget == 'best'
