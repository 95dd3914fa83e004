"""A run as it is planned: what is built of a config, and checked, before anything is written."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Protocol

import attrs
import numpy as np

from tff_lg import aggregators, models, training
from tff_lg import config as config_lib
from tff_lg import data as data_lib
from tff_lg.inputs import tasks
from tff_lg.simulation import adversary as adversary_lib
from tff_lg.simulation import aggregation, layer_variances, run_phases
from tff_lg.training import client_data as client_data_lib
from tff_lg.training import cohorts, evaluation


class Choice(Protocol):
  """A learning rate or a split that a run chooses before its rounds."""

  def changes(self) -> dict[str, Any]:
    """Returns the options of a run that is given what was chosen, by name."""

  def summary(self) -> dict[str, Any]:
    """Returns entries of the run's summary."""


@attrs.frozen(kw_only=True)
class SharedRounds:
  """Rounds that two runs have to the bit: one trains them, and the other takes them over.

  Attributes:
    kept_round: of the first run, the round whose checkpoint stays for the other.
    taken_from: of the other, the folder of the first run; its rounds are those of the warm start.
  """

  kept_round: int | None = None
  taken_from: str | None = None


@attrs.frozen(kw_only=True, eq=False)
class PlannedRun:
  """A config with what is built of it.

  Attributes:
    config: resolved, with its cohort.
    federated_data: of the clients.
    model: with every weight global.
    run_dir: the run folder.
    budget: of a private run.
    adversary: of a run under attack.
    auxiliary: network on the local representation, if there is one.
    phases: of the config; the warm start alone while its split is still to be picked.
    chosen: entries of the summary on what was chosen before the rounds.
    shared: rounds that another run has as well.
  """

  config: config_lib.TrainConfig
  federated_data: data_lib.FederatedData
  model: models.LocalGlobalModel
  run_dir: str
  budget: aggregators.PrivacyBudget | None
  adversary: adversary_lib.Adversary | None
  auxiliary: models.AuxiliaryNetwork | None
  phases: tuple[training.Phase, ...] = ()
  chosen: Mapping[str, Any] = attrs.field(factory=dict)
  shared: SharedRounds = SharedRounds()

  @property
  def num_clients(self) -> int:
    """Returns how many clients cohorts are drawn from."""
    return len(self.federated_data.clients)

  def build_phases(self, config: config_lib.TrainConfig) -> list[training.Phase]:
    """Builds the phases of this config, or of one that was made from it."""
    return run_phases.build_phases(
      config, self.model, self.budget, self.adversary, self.auxiliary, self.num_clients
    )

  def with_phases(self) -> PlannedRun:
    """Returns the run with the phases of its config."""
    return attrs.evolve(self, phases=tuple(self.build_phases(self.config)))

  def with_choice(self, choice: Choice) -> PlannedRun:
    """Returns the run with what it has chosen, and with the phases of that."""
    config = dataclasses.replace(self.config, **choice.changes())
    chosen = {**self.chosen, **choice.summary()}
    return attrs.evolve(self, config=config, chosen=chosen).with_phases()


def plan_run(
  config: config_lib.TrainConfig,
  federated_data: data_lib.FederatedData,
  model: models.LocalGlobalModel,
  run_dir: str,
) -> PlannedRun:
  """Builds what a run needs and tells what privacy it will spend; writes nothing.

  Args:
    config: resolved, with its cohort.
    federated_data: of the clients.
    model: with every weight global.
    run_dir: the run folder.

  Returns:
    The run.

  Raises:
    ValueError: the config or the data cannot be used; one sentence.
  """
  num_clients = len(federated_data.clients)
  aggregation_options, sampling = config.aggregation_options, config.sampling_options
  run = PlannedRun(
    config=config,
    federated_data=federated_data,
    model=model,
    run_dir=run_dir,
    budget=aggregation.build_budget(
      aggregation_options, sampling, num_clients, config.total_rounds
    ),
    adversary=adversary_lib.build_adversary(
      config.attack_options, aggregation_options, sampling, config.training_options, num_clients
    ),
    auxiliary=tasks.build_auxiliary(config.input_options, config.method_options, federated_data),
  ).with_phases()
  _check_choosing(
    config.selection_options, federated_data, model, has_rounds=not config.trains_to_best
  )
  if config.picks_split:
    layer_variances.check_clients(federated_data)
  if run.budget is not None:
    aggregation.tell_privacy(aggregation.summarize_budget(run.budget, config), config.total_rounds)
  return run


def _check_choosing(
  selection: config_lib.SelectionOptions,
  federated_data: data_lib.FederatedData,
  model: models.LocalGlobalModel,
  *,
  has_rounds: bool,
) -> None:
  """Refuses data without any example to choose models by, or to stop early by."""

  def num_examples(part: str) -> np.ndarray:
    return evaluation.count_examples(model, client_data_lib.part_tensors(federated_data, part))

  if selection.early_stopping_rounds is not None and not num_examples('validation').any():
    raise ValueError(
      '--early_stopping_rounds looks at validation data, but no client has a validation example: '
      'give clients more examples, or a larger --validation_fraction.'
    )
  num_clients = len(federated_data.clients)
  evaluated = cohorts.draw_evaluated(num_clients, selection.max_evaluated_clients, selection.seed)
  part = evaluation.PARTS[selection.choices.choose_by]
  if evaluated is None or not has_rounds or num_examples(part)[evaluated].any():
    return
  raise ValueError(
    f'--max_evaluated_clients is {len(evaluated)}, but none of the clients drawn has {part} '
    'examples to choose models by: evaluate more.'
  )
