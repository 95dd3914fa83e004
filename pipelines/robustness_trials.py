"""The trials of a suite of robustness for `pipelines.benchmark`, and what runs them."""

import dataclasses
from typing import Any

from pipelines import suite_trials, training_run, trial_pools
from tff_lg import config as config_lib
from tff_lg import suites, sweeps
from tff_lg.run_folder import run_settings


@dataclasses.dataclass(frozen=True)
class Plan:
  """The comparison and its settings; fields are those of `suite_trials.Plan`."""

  suite: suites.RobustnessEntry
  methods: tuple[suites.RobustRule, ...]
  data: str | None
  arguments: tuple[str, ...]
  num_repeats: int
  search_repeats: int
  search: str
  rounds: int
  is_fast: bool

  def check(self) -> None:
    """Makes the config of each rule's first trial.

    Raises:
      ConfigError, flags.Error, ValueError: flags that cannot be; one sentence.
    """
    configs = self._suite_run('', None).first_configs()
    if not configs:
      names = ', '.join(rule.name for rule in self.methods)
      raise config_lib.ConfigError(f'--methods is {names}: no rule survives so many attackers.')
    trial_pools.check(configs)
    for config in configs.values():
      training_run.look_at_data(config)

  def run(self, run_dir: str, pool: sweeps.Pool, command: str) -> tuple[Any, tuple[str, str]]:
    """Runs the suite in a folder, or resumes; gives the table, and what was written."""
    from tff_lg import analysis  # It imports pandas, which takes seconds.
    from tff_lg.suites import board

    cells = board.robustness_cells(suites.run_robustness(self._suite_run(run_dir, pool)))
    return analysis.write_robustness(run_dir, self.suite.label, cells, command)

  def _suite_run(self, run_dir: str, pool: sweeps.Pool | None) -> suites.RobustnessRun:
    arguments, of_adaptation = suite_trials.split_arguments(self.arguments)
    flags = [f'--rounds={self.rounds}', f'--evaluate_every={self.rounds}', *arguments]
    if self.data is not None:
      flags.append(f'--data_dir={self.data}')
    return suites.RobustnessRun(
      self.suite.small() if self.is_fast else self.suite,
      self.methods,
      run_dir,
      flags=tuple(flags),
      make_config=suite_trials.make_config(self.is_fast, of_adaptation),
      pool=pool,
      num_repeats=self.num_repeats,
      search_repeats=self.search_repeats,
      search=self.search,
      changes=run_settings.TRIAL_CHANGES,
    )
