"""The opponent of every federated model: the best model that each client can train alone."""

import os
import shutil
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from absl import logging

from tff_lg import config as config_lib
from tff_lg import data as data_lib
from tff_lg import file_names, grid_search, learning, metric_names, models, simple_models, verdicts
from tff_lg import metrics as metrics_lib
from tff_lg.compatibility import tff
from tff_lg.config import own_models
from tff_lg.config.option import resolved
from tff_lg.metrics import exact
from tff_lg.own_models import networks, simple
from tff_lg.run_folder import run_files
from tff_lg.scoring import advice, others, results, scores
from tff_lg.training import client_data, cohorts, evaluation, selection

NETWORK = 'network'
_DEFAULT_KINDS = (NETWORK, 'linear')
# Columns of the main metric of each test example.
_OF_EXAMPLES = (verdicts.MARKS, verdicts.VALUES)
# An own network that still improves at a cap of fewer epochs is a weak opponent.
_FEW_EPOCHS = 20


def run_own_models(
  options: config_lib.LocalLearningOptions,
  federated_data: data_lib.FederatedData,
  model: models.LocalGlobalModel,
  run_dir: str,
  clients: np.ndarray | None = None,
  method: str = own_models.LOCAL_ONLY,
  pool: others.PooledTests | None = None,
  began: float | None = None,
) -> dict[str, Any]:
  """Trains each client's own models in a run folder; a rerun resumes after what is done.

  Each client has the kind of model with the best metric on its validation data. The mean over all
  clients counts as 30 examples more. A client with few validation examples, or none, therefore
  mostly has the kind that is best for all.

  Args:
    options: of a resolved config.
    federated_data: the clients' data.
    model: the network with its initial weights.
    run_dir: of the method; claimed.
    clients: int [n], ascending indices of those that train; those that are evaluated by default.
    method: the run's, which sends no updates.
    pool: the test data of `--score_on_others`; those of `clients` by default.
    began: when the command began, by `time.monotonic`; now by default.

  Returns:
    The summary, as in `summary.json`. Its `new_test/...` are of all clients' own networks.

  Raises:
    ValueError: a kind of model does not fit the data, or a chunk is damaged; one sentence.
  """
  began = time.monotonic() if began is None else began
  kinds = choose_kinds(options, federated_data)
  process = _build_process(model)
  run_files.write_inputs(run_dir, federated_data, process.model)
  num_clients = len(federated_data.clients)
  tensors = {
    part: client_data.part_tensors(federated_data, part) for part in ('train', 'validation', 'test')
  }
  evaluated = clients
  if clients is None:
    evaluated = cohorts.draw_evaluated(num_clients, options.max_evaluated_clients, options.seed)
  clients = np.arange(num_clients) if evaluated is None else evaluated
  if pool is None:
    pool = others.pool_tests(options, federated_data, evaluated)
  folder = os.path.join(run_dir, file_names.PARTS)
  table = results.size_table(federated_data, process.model, tensors, evaluated)
  about: dict[str, Any] = {metric_names.OWN_BUDGET: 'best'}
  found: dict[str, pd.DataFrame] = {}
  predictions: dict[str, dict[int, np.ndarray]] = {}
  summary: dict[str, Any] = {}
  settled: dict[str, np.ndarray] = {}
  if NETWORK in kinds:
    own = networks.train_networks(options, model, tensors, clients, folder)
    found[NETWORK], predictions[NETWORK], summary = _score_networks(
      own, federated_data, process, tensors, evaluated, pool
    )
    table['epochs'] = np.where(own.best_epoch < 0, np.nan, own.best_epoch)
    settled = own.settled
    about |= _describe_networks(own, clients, resolved(options.local_only_epochs))
  for name in kinds:
    if name != NETWORK:
      fitted = simple.fit_simple_models(name, options, federated_data, clients, folder, pool)
      of_examples = fitted.of_examples
      column, texts = scores.as_texts(options.predicts.name, list(of_examples.values()))
      by_client = pd.Series(dict(zip(of_examples, texts, strict=True)), range(num_clients), object)
      found[name] = pd.DataFrame(fitted.values).assign(**{column: by_client})
      predictions[name] = fitted.predictions
      about |= _describe_search(
        name, simple_models.SIMPLE_MODELS[name].hyperparameter, fitted.search
      )
  _choose(table, options, found, settled)
  chosen = table[metric_names.OWN_MODEL].where(np.isin(np.arange(num_clients), clients), None)
  table[metric_names.OWN_MODEL] = chosen
  for name in kinds:
    about[metric_names.num_own_models(name)] = int((chosen == name).sum())
  summary |= results.summarize_clients(method, options, table, results.metric_columns(table))
  summary |= _pooled(options, table, federated_data, clients, predictions) | about
  alone = learning.METHODS[own_models.LOCAL_ONLY]
  summary |= {alone.rounds_entry: 0, **dict.fromkeys(metric_names.COMMUNICATION, 0)}
  run_files.write_without_rounds(run_dir, summary, table, time.monotonic() - began)
  shutil.rmtree(folder, ignore_errors=True)
  return summary


def choose_kinds(
  options: config_lib.LocalLearningOptions, federated_data: data_lib.FederatedData
) -> tuple[str, ...]:
  """Returns the kinds of models that clients train: those that are asked for, or what fits.

  Raises:
    ValueError: a kind that is asked for does not fit the data; one sentence.
  """
  reason = simple.why_not(federated_data)
  if options.own_models is None:
    return (NETWORK,) if reason else _DEFAULT_KINDS
  for name in options.own_models:
    if reason and name != NETWORK:
      raise ValueError(
        f'--own_models has {name}, which does not fit --task={options.task}: {reason}; use '
        f'--own_models={NETWORK}.'
      )
  return options.own_models


def _build_process(model: models.LocalGlobalModel) -> learning.LocalGlobalProcess:
  """Returns the process that evaluates; its training is not used."""
  settings = learning.ProcessSettings(
    tff.learning.optimizers.build_sgdm(), learning.TensorBatches(None)
  )
  return learning.METHODS[own_models.LOCAL_ONLY].build_process(model, settings)


def _score_networks(
  own: networks.OwnNetworks,
  federated_data: data_lib.FederatedData,
  process: learning.LocalGlobalProcess,
  tensors: Mapping[str, client_data.ClientData],
  evaluated: np.ndarray | None,
  pool: others.PooledTests | None,
) -> tuple[pd.DataFrame, dict[int, np.ndarray], dict[str, Any]]:
  """Returns scores by client, for two classes the predictions, and those of all on the test set."""
  num_clients = len(federated_data.clients)
  chosen = selection.ModelSelection(process, num_clients, own.weights)
  chosen.offer(0, np.zeros(num_clients), (), ())
  state = selection.ChosenModels(process.initialize(process.model.initial_weights), chosen)
  table, summary = results.score_clients(federated_data, process, state, tensors, evaluated, pool)
  predictions = {}
  predicts = metrics_lib.OBJECTIVES[federated_data.objective]
  has_numbers = predicts.predicts_numbers and verdicts.VALUES in table
  if has_numbers or metric_names.local_test('auc') in table and federated_data.num_classes == 2:
    clients = np.arange(num_clients) if evaluated is None else evaluated
    probabilities = evaluation.predict_selected(
      process, state.server_state, chosen, tensors['test'], clients
    )
    predictions = dict(zip(clients.tolist(), probabilities, strict=True))
  columns = [*results.metric_columns(table), *filter(table.__contains__, _OF_EXAMPLES)]
  start = f'{metric_names.NEW_TEST}/'
  new_test = {name: value for name, value in summary.items() if name.startswith(start)}
  return table[columns], predictions, new_test


def _choose(
  table: pd.DataFrame,
  options: config_lib.SelectionOptions,
  found: Mapping[str, pd.DataFrame],
  settled: Mapping[str, np.ndarray],
) -> None:
  """Gives each client the scores of its best kind of model, by validation data.

  Args:
    table: of clients, with their sizes.
    options: say on which part, and by which metric.
    found: the scores of each kind.
    settled: of networks, in place of the metrics of an epoch that the same data have chosen; empty
      if there are none.
  """
  part, names = options.choices.choose_by, list(found)
  metric = metrics_lib.for_few_examples(resolved(options.selection_metric))
  sizes = table[f'num_{evaluation.PARTS[part]}'].to_numpy()
  values_of = [
    settled[metric] if name == NETWORK and settled else of_kind[f'{part}/{metric}'].to_numpy()
    for name, of_kind in found.items()
  ]
  chosen = advice.choose_models(values_of, sizes, metrics_lib.METRICS[metric])
  table[metric_names.OWN_MODEL] = np.array(names, object)[chosen]
  first = next(iter(found.values()))
  in_order = [name for name in _in_order(options.model_metrics) if name in first]
  for name in (*in_order, *filter(first.__contains__, _OF_EXAMPLES)):
    columns = [of.get(name) for of in found.values()]
    if all(column is not None for column in columns):
      values = np.stack(columns)
      table[name] = values[chosen, np.arange(len(table))]
      for kind, column in zip(names, values, strict=True):
        if name not in _OF_EXAMPLES:
          table[f'{name}/{kind}'] = column


def _in_order(metrics: Sequence[str]) -> list[str]:
  """Returns the columns of metrics of clients' models, in the order of the table of clients."""
  own = [f'{part}/{metric}' for part in evaluation.PARTS for metric in (*metrics, 'loss')]
  more = (metric_names.local_test('auc'), metric_names.PARTICIPANT_ACCURACY)
  return list(dict.fromkeys((*own, *more, *map(metric_names.others_test, metrics))))


def _pooled(
  options: config_lib.SelectionOptions,
  table: pd.DataFrame,
  federated_data: data_lib.FederatedData,
  clients: np.ndarray,
  predictions: Mapping[str, Mapping[int, np.ndarray]],
) -> dict[str, float]:
  """Scores all clients' test examples together, each by its own client's model."""
  rows = table.iloc[clients]
  if not rows['num_test'].any():
    return {}
  main = options.model_metrics[0]
  values, sizes = rows[metric_names.local_test(main)].to_numpy(), rows['num_test'].to_numpy()
  summary = {metric_names.pooled_test(main): evaluation.pooled(values, sizes, main)}
  if all(predictions.values()):
    kinds = table[metric_names.OWN_MODEL]
    chosen = [predictions[kinds[client]][client] for client in clients.tolist()]
    labels = [federated_data.clients[client].test.y for client in clients.tolist()]
    more = ('auc',) if options.predicts.predicts_classes else ()
    names = (*options.model_metrics[1:], *more)
    scored = exact.score(
      options.predicts.name, names, np.concatenate(chosen), np.concatenate(labels)
    )
    summary |= {metric_names.pooled_test(name): value for name, value in scored.items()}
  return summary


def _describe_networks(
  own: networks.OwnNetworks, clients: np.ndarray, most_epochs: int
) -> dict[str, Any]:
  """Returns the budget of the own networks, and whether it was enough."""
  improving = ~own.was_stopped[clients]
  few = improving & (own.num_epochs[clients] < _FEW_EPOCHS)
  if few.any():
    logging.warning(
      '%d of %d own networks were still improving after %d epochs: they are a weak opponent; raise '
      '--local_only_epochs.',
      few.sum(),
      len(clients),
      most_epochs,
    )
  return {
    **_describe_search(NETWORK, 'learning_rate', own.search),
    metric_names.OWN_EPOCHS: float(np.median(own.best_epoch[clients])),
    metric_names.OWN_MOST_EPOCHS: most_epochs,
    metric_names.OWN_STILL_IMPROVING: int(improving.sum()),
  }


def _describe_search(
  kind: str, hyperparameter: str, search: grid_search.GridSearch
) -> dict[str, Any]:
  if search.improves_outwards:
    logging.warning(
      'Own models (%s): the best %s, %g, is at an end of those tried: %s.',
      kind,
      hyperparameter,
      search.best,
      search.describe(),
    )
  setting = metric_names.own_setting(kind, hyperparameter)
  return {setting: search.best, metric_names.tried(setting): search.describe()}
