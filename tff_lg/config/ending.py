"""Goals on the clients' data with which rounds end, such as `validation/accuracy>=0.975`."""

import dataclasses
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tff_lg import metric_names
from tff_lg import metrics as metrics_lib
from tff_lg.config import metric_options
from tff_lg.config.option import ConfigError, option

# The value of --rounds_until that ends rounds with all of --goal_accuracy.
_TARGETS = 'goal_accuracy'
_GOAL = re.compile(rf'(\w+)/(\w+)(?:/({metric_names.MEAN}|{metric_names.POOLED}))?(>=|<=)([^<>=]+)')


class RoundGoal(NamedTuple):
  """A value of a metric of rounds.

  Attributes:
    metric: its column in `metrics.csv`.
    value: that is to be reached.
    is_least: whether greater values reach it as well, or smaller ones.
  """

  metric: str
  value: float
  is_least: bool

  def is_reached(self, metrics: Mapping[str, float]) -> bool:
    """Returns whether an evaluated round, of these metrics by name, has reached it."""
    # NaN, which reaches nothing, where no client has the metric.
    found = metrics.get(self.metric, math.nan)
    return found >= self.value if self.is_least else found <= self.value


@dataclasses.dataclass(frozen=True)
class EndingOptions:
  """Options of the goals; None stands for none."""

  warm_start_until: str | None = option(
    None,
    'Goal that ends the warm start, such as validation/accuracy>=0.975. It is for the mean over '
    'clients or, as validation/accuracy/pooled, for their pooled examples. It is checked every '
    '--evaluate_every rounds. --warm_start_rounds is then the largest number of rounds. Baselines '
    'have as many rounds as a run that never reaches the goal.',
  )
  rounds_until: str | None = option(
    None,
    'Goal that ends the rounds of the method, written as that of --warm_start_until; --rounds is '
    'then the largest number of rounds. Each baseline ends independently. With goal_accuracy, '
    'rounds end once the pooled test examples reach all of --goal_accuracy. As test data choose '
    'that round, such a run is for rounds to a goal, not for final metrics. None by default.',
  )


def find_goal(config: Any, name: str) -> RoundGoal | None:
  """Returns a goal of a config, by the option's name; None for none.

  Raises:
    ConfigError: its text is not a goal on a metric of the run, or names targets that are not given;
      one sentence.
  """
  text = getattr(config, name)
  if text is None:
    return None
  objective = metric_options.find_objective(config)
  if name == 'rounds_until' and text == _TARGETS:
    return _find_last_target(config.goal_accuracy or (), objective.main)
  part = config.choices.choose_by
  expected = f'{part}/{objective.main.name}{">=" if objective.main.more_is_better else "<="}'
  found = _GOAL.fullmatch(text.replace(' ', ''))
  try:
    value = float(found[5]) if found else None
  except ValueError:
    value = None
  if found is None or value is None:
    example = 0.975 if objective.main.is_share else 10
    raise ConfigError(f'--{name} is {text}, expected a goal such as {expected}{example}.')
  given, metric, pooling, sign = found[1], found[2], found[3] or metric_names.MEAN, found[4]
  known = metrics_lib.METRICS.get(metric)
  names = ('loss', *metric_options.list_metrics(config))
  if known is None or metric not in names:
    raise ConfigError(f'--{name} has {metric}, expected a metric of the run: {", ".join(names)}.')
  faults = (
    (
      given != part,
      f'has {given}, expected {part}, the data on which this run chooses its models',
    ),
    (
      pooling == metric_names.POOLED and known.pooling is None,
      f'has {metric_names.pooled(metric)}, which rounds do not have: expected {metric}',
    ),
    (
      (sign == '>=') != known.more_is_better,
      f'has {sign}, expected {"<=" if sign == ">=" else ">="}, as '
      f'{"more" if known.more_is_better else "less"} of {metric} is better',
    ),
    (
      known.is_share and not 0 < value < 1,
      f'has {value:g}, expected a share between 0 and 1',
    ),
  )
  for is_fault, sentence in faults:
    if is_fault:
      raise ConfigError(f'--{name} {sentence}.')
  return RoundGoal(f'{part}/{metric}/{pooling}', value, sign == '>=')


def _find_last_target(targets: Sequence[float], main: metrics_lib.Metric) -> RoundGoal:
  """Returns the target that pooled test examples reach last; refuses to have none."""
  if not targets:
    raise ConfigError(
      f'--rounds_until is {_TARGETS}, but --goal_accuracy is not given, expected the accuracies '
      'that end the rounds.'
    )
  metric = metric_names.pooled(metric_names.local_test(main.name))
  value = max(targets) if main.more_is_better else min(targets)
  return RoundGoal(metric, value, main.more_is_better)


def check(config: Any) -> None:
  """Refuses goals that cannot be, and what they do not fit.

  Args:
    config: a `TrainConfig`, as the user gave it.

  Raises:
    ConfigError: the first fault; one sentence.
  """
  for field in dataclasses.fields(EndingOptions):
    find_goal(config, field.name)
  if config.warm_start_until is not None and config.warm_start_rounds == 0:
    raise ConfigError(
      '--warm_start_until is given, but --warm_start_rounds is 0, expected the most rounds that '
      'the warm start may have.'
    )
  if config.rounds_until == _TARGETS and config.tune != 'none':
    raise ConfigError(
      f'--rounds_until={_TARGETS} does not fit --tune={config.tune}: test data would choose the '
      'rounds by which learning rates are compared.'
    )
  if config.rounds_until is not None and config.trains_to_best:
    raise ConfigError(
      '--rounds_until does not fit --method=local_only with --local_budget=best, whose clients end '
      'by --local_only_patience.'
    )
