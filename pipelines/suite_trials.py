"""The trials of `pipelines.benchmark`: their configs, and what runs them."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from absl import flags as absl_flags

from pipelines import config_flags, training_run, trial_pools
from tff_lg import config as config_lib
from tff_lg import suites, sweeps
from tff_lg.run_folder import run_settings

# Of adaptations of small runs.
_FAST_ADAPTATION = ('--epochs=2', '--learning_rate=0.01')


@dataclasses.dataclass(frozen=True)
class Plan:
  """The comparison and its settings.

  Attributes:
    suite: its entry.
    methods: rows, at least one.
    data: path of the data; None for those that the task has without.
    arguments: flags of `pipelines.train` and `pipelines.adapt`, for all runs.
    num_repeats: of each row.
    search_repeats: over which points of a grid are compared.
    search: one of `suites.SEARCHES`.
    rounds: of each run.
    is_fast: whether runs are small ones on generated data.
  """

  suite: suites.SuiteEntry
  methods: tuple[suites.SuiteMethod, ...]
  data: str | None
  arguments: tuple[str, ...]
  num_repeats: int
  search_repeats: int
  search: str
  rounds: int
  is_fast: bool

  def check(self) -> None:
    """Makes the config of each method's first trial.

    Raises:
      ConfigError, flags.Error, ValueError: flags that cannot be; one sentence.
    """
    run = self.suite_run('', None)
    configs = {row.name: run.first_config(row) for row in self.methods if not row.adapts}
    for row in self.methods:
      if row.adapts:
        run.adapt_config(row, row.adapts, seed=0)
    trial_pools.check(configs)
    for config in configs.values():
      training_run.look_at_data(config)

  def run(self, run_dir: str, pool: sweeps.Pool, command: str) -> tuple[Any, tuple[str, str]]:
    """Runs the suite in a folder, or resumes; gives the table, and what was written."""
    from tff_lg import analysis  # It imports pandas, which takes seconds.
    from tff_lg.suites import board

    run = self.suite_run(run_dir, pool)
    rows = board.leaderboard_rows(run, suites.run_suite(run, self.methods))
    shown = board.shown(self.suite)
    return analysis.write_leaderboard(run_dir, self.suite.label, rows, shown, command)

  def suite_run(self, run_dir: str, pool: sweeps.Pool | None) -> suites.SuiteRun:
    """Returns how the suite is run in a folder."""
    arguments, of_adaptation = split_arguments(self.arguments)
    flags = [f'--rounds={self.rounds}', *arguments]
    if self.suite.scores_last_round:
      flags.append(f'--evaluate_every={self.rounds}')
    if self.data is not None:
      flags.append(f'--data_dir={self.data}')
    return suites.SuiteRun(
      self.suite,
      run_dir,
      flags=(*flags, '--fast') if self.is_fast else tuple(flags),
      make_config=make_config(self.is_fast, of_adaptation),
      pool=pool,
      num_repeats=self.num_repeats,
      search_repeats=self.search_repeats,
      search=self.search,
      changes=run_settings.TRIAL_CHANGES,
      is_published=self.data is not None and not self.is_fast,
    )


def split_arguments(arguments: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
  """Splits flags into those of `pipelines.train` and those that `pipelines.adapt` alone has.

  Raises:
    flags.Error: a value of the wrong type.
    sweeps.SweepError: a seed; repeats have their own.
  """
  sweeps.check_common(arguments, 'repeats')
  values = absl_flags.FlagValues()
  own = config_flags.define_options(config_lib.AdaptConfig, values)
  for name in own.keys() & {field.name for field in dataclasses.fields(config_lib.TrainConfig)}:
    delattr(values, name)
  _, *others = values(['pipeline', *arguments], known_only=True)
  given = (values[name] for name in own if name in values and values[name].present)
  return tuple(others), tuple(flag.serialize() for flag in given)


def make_config(is_fast: bool, of_adaptation: Sequence[str]) -> suites.MakeConfig:
  """Returns what makes the config of a trial of (pipeline, its arguments).

  Args:
    is_fast: whether the trials are small.
    of_adaptation: flags of `pipelines.adapt`, instead of the suite's.
  """

  def make(pipeline: str, arguments: Sequence[str]) -> Any:
    if pipeline == suites.TRAIN:
      return config_flags.parse(arguments)
    more = _FAST_ADAPTATION if is_fast else ()
    arguments = [*arguments, *more, *of_adaptation]
    return config_flags.parse(arguments, config_lib.AdaptConfig, _read_adaptation)

  return make


def _read_adaptation(holders: config_flags.Holders) -> config_lib.AdaptConfig:
  return config_flags.read_options(config_lib.AdaptConfig, holders)


def run_trial(config: Any, run_dir: str) -> None:
  """Trains or adapts by a config in its folder, or resumes; what the pool calls.

  Raises:
    ValueError, OSError, RuntimeError: what cannot be, one sentence.
  """
  # TensorFlow takes seconds to import.
  if isinstance(config, config_lib.TrainConfig):
    return training_run.run(config, run_dir)
  from tff_lg import personalization, simulation

  simulation.set_execution_context()
  personalization.run_adaptation(config, run_dir)
