"""The malicious clients of a run: who they are, what they learn from, how well they do."""

import dataclasses
from typing import Any

import numpy as np
import pandas as pd

from tff_lg import attacks, learning, metric_names, seeds
from tff_lg import config as config_lib
from tff_lg import data as data_lib
from tff_lg.config.option import resolved
from tff_lg.scoring import scores
from tff_lg.simulation import aggregation
from tff_lg.training import evaluation, run_state


@dataclasses.dataclass(frozen=True)
class Adversary:
  """An attack, and those who carry it out.

  Attributes:
    name: of the attack.
    attack: what they do.
    is_malicious: bool [num_clients].
  """

  name: str
  attack: attacks.Attack
  is_malicious: np.ndarray


def build_adversary(
  options: config_lib.AttackOptions,
  aggregator: config_lib.AggregationOptions,
  sampling: config_lib.SamplingOptions,
  training: config_lib.TrainingOptions,
  num_clients: int,
) -> Adversary | None:
  """Draws the malicious clients of a resolved config; None for a run without attack.

  Args:
    options: of the attack.
    aggregator: whose rule an attacker knows.
    sampling: with the cohort.
    training: of which an attacker knows the server's part.
    num_clients: that cohorts are drawn from.

  Raises:
    ValueError: no client would be honest.
  """
  if options.attack is None:
    return None
  setting = attacks.Setting(
    cohort_size=resolved(sampling.clients_per_round),
    # An adaptive optimiser's step has no fixed share of the mean update.
    server_learning_rate=config_lib.learning_rate(training, 'server')
    if config_lib.scales_mean(training)
    else 1.0,
    rule=aggregation.build_rule(aggregator, sampling),
  )
  seed = seeds.derive_seed(sampling.seed, seeds.Purpose.ATTACK)
  is_malicious = attacks.choose_malicious(num_clients, resolved(options.malicious_share), seed)
  if is_malicious.all():
    raise ValueError(
      f'--malicious_share is {options.malicious_share}: all {num_clients} clients would be '
      'malicious, expected at least one that is honest.'
    )
  of_attack = config_lib.ATTACK_OPTIONS.build(options, options.attack)
  attack = attacks.ATTACKS[options.attack].build(of_attack, setting)
  return Adversary(options.attack, attack, is_malicious)


def poison(
  adversary: Adversary, federated_data: data_lib.FederatedData, run_seed: int
) -> data_lib.FederatedData:
  """Returns the data with what malicious clients train on; other data stay unchanged.

  Raises:
    ValueError: the attack does not fit the data.
  """
  if adversary.attack.poison is None:
    return federated_data
  clients = list(federated_data.clients)
  for index in np.flatnonzero(adversary.is_malicious):
    seed = seeds.derive_seed(run_seed, seeds.Purpose.ATTACK, 1 + int(index))
    train = clients[index].train
    x, y = adversary.attack.poison(
      train.x, train.y, federated_data.num_classes, np.random.default_rng(seed)
    )
    changed = dataclasses.replace(train, x=x, y=y)
    client = clients[index]
    clients[index] = data_lib.ClientExamples(
      client.client_id, changed, client.validation, client.test
    )
  return dataclasses.replace(federated_data, clients=tuple(clients))


def add_scores(
  adversary: Adversary,
  clients: pd.DataFrame,
  federated_data: data_lib.FederatedData,
  process: learning.LocalGlobalProcess,
  state: run_state.RunState,
) -> dict[str, Any]:
  """Marks malicious clients in the table, and scores honest clients and the attack.

  Args:
    adversary: of the run.
    clients: the table, which gets the column `is_malicious`.
    federated_data: of the run.
    process: of the run's last phase.
    state: of the run after its last round.

  Returns:
    Numbers and texts for the summary. `backdoor/success` is about test images that are not of the
    target class. It is the share that a model takes for that class once the trigger is on them.
    It is a mean over the models of honest clients that are evaluated.
  """
  honest = ~adversary.is_malicious
  clients[metric_names.IS_MALICIOUS] = adversary.is_malicious
  summary = {
    metric_names.ATTACK_NAME: adversary.name,
    metric_names.MALICIOUS_SHARE: float(adversary.is_malicious.mean()),
  }
  if adversary.attack.strength is not None:
    summary[metric_names.ATTACK_STRENGTH] = adversary.attack.strength
  compared = scores.compared_columns(process.model.metric_names)
  for column in filter(clients.__contains__, compared):
    mean = float(np.nanmean(clients[column][honest]))
    summary[metric_names.honest(metric_names.mean(column))] = mean
  if adversary.attack.triggered_test is not None:
    test = adversary.attack.triggered_test(federated_data.test)
    evaluated = scores.evaluated_clients(clients)
    new_test = evaluation.evaluate_new_test(
      process, state.server_state, state.selection, test, evaluated
    )
    success = new_test.class_accuracy[honest, attacks.TARGET_CLASS]
    success = success[np.isfinite(success)]  # NaN of clients that are not evaluated.
    summary[metric_names.BACKDOOR_SUCCESS] = float(success.mean()) if len(success) else float('nan')
  return summary
