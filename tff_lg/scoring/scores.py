"""Test scores of the clients' chosen models: on each client's own examples, all pooled, common."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import tensorflow as tf

from tff_lg import config as config_lib
from tff_lg import data, learning, metric_names, models, verdicts
from tff_lg import metrics as metrics_lib
from tff_lg.inputs import tasks
from tff_lg.metrics import exact
from tff_lg.training import client_data, evaluation, run_state, selection


def compared_columns(metrics: Sequence[str]) -> tuple[str, ...]:
  """Returns the columns of the table of clients in which runs are compared, the main one first.

  Args:
    metrics: names of the models' metrics, the main one first.
  """
  return (*map(metric_names.local_test, metrics), metric_names.PARTICIPANT_ACCURACY)


def add_scores(
  clients: pd.DataFrame,
  federated_data: data.FederatedData,
  process: learning.LocalGlobalProcess,
  state: run_state.RunState | selection.ChosenModels,
) -> dict[str, float]:
  """Scores the chosen models on the clients' test examples.

  Args:
    clients: one row per client. If predictions of all test examples fit into memory, it gets a
      column `local_test/correct`, see `verdicts.to_marks`. For labels that are not classes, it is
      `local_test/by_example`, see `verdicts.to_values`. It also gets `local_test/auc` if there
      are two classes or the model has that metric, NaN for a client whose examples do not define
      it. Clients that are not `is_evaluated`, if there is such a column, do not count.
    federated_data: the clients' data.
    process: the one that trained the models.
    state: after the last round.

  Returns:
    Scores of all clients' test examples together, each predicted by its own client's model. They
    are `pooled_test/accuracy`, the model's other metrics and, for two classes, `pooled_test/auc`.
    Then mean and standard deviation over clients of the column.
  """
  evaluated = evaluated_clients(clients)
  of_clients = np.arange(len(clients)) if evaluated is None else evaluated
  if not any(federated_data.clients[client].size('test') for client in of_clients):
    return {}
  objective, names = federated_data.objective, process.model.metric_names
  if not predicts_all(federated_data):
    rows = clients.iloc[of_clients]
    num_test = rows['num_test'].to_numpy()
    main = rows[metric_names.local_test(names[0])].to_numpy()
    return {metric_names.pooled_test(names[0]): evaluation.pooled(main, num_test, names[0])}
  tests = client_data.part_tensors(federated_data, 'test')
  predictions = evaluation.predict_selected(
    process, state.server_state, state.selection, tests, of_clients
  )
  labels = [federated_data.clients[client].test.y for client in of_clients]
  if federated_data.test.has_classes and federated_data.num_classes == 2:
    names = tuple(dict.fromkeys((*names, 'auc')))
  of_all = exact.score(objective, names, np.concatenate(predictions), np.concatenate(labels))
  summary = {metric_names.pooled_test(name): value for name, value in of_all.items()}
  texts = np.full(len(clients), None, object)
  name, texts[of_clients] = by_example(objective, predictions, labels)
  clients[name] = texts
  if 'auc' in names:
    column = np.full(len(clients), np.nan)
    column[of_clients] = [
      exact.score(objective, ('auc',), *pair)['auc']
      for pair in zip(predictions, labels, strict=True)
    ]
    name = metric_names.local_test('auc')
    clients[name] = column
    summary.update(over_clients(name, column))
  return summary


def predicts_all(federated_data: data.FederatedData) -> bool:
  """Returns whether predictions of all test examples are made, for scores by example.

  The probabilities of a whole vocabulary at every position do not fit into memory. Those of clients
  that are not in memory may not either. Only the model weighs annotators' answers.
  """
  if not federated_data.test.has_classes:
    return True
  is_large = federated_data.reader is not None and federated_data.num_classes > 2
  return federated_data.has_plain_labels and not is_large


def by_example(
  objective: str, predictions: Sequence[np.ndarray], labels: Sequence[np.ndarray]
) -> tuple[str, list[str]]:
  """Returns the main metric of each test example as text, by client, and its column's name.

  Args:
    objective: what is predicted.
    predictions: of each client's examples.
    labels: of the same.
  """
  values = [exact.by_example(objective, *pair) for pair in zip(predictions, labels, strict=True)]
  return as_texts(objective, values)


def as_texts(objective: str, of_examples: Sequence[np.ndarray]) -> tuple[str, list[str]]:
  """Returns the main metric of examples as text, by client, and its column's name.

  Args:
    objective: what is predicted.
    of_examples: the metric of each client's examples, as of `metrics.exact.by_example`.
  """
  has_marks = metrics_lib.OBJECTIVES[objective].main.counts_right
  to_text = verdicts.to_marks if has_marks else verdicts.to_values
  return verdicts.MARKS if has_marks else verdicts.VALUES, [to_text(each) for each in of_examples]


def add_new_test(
  clients: pd.DataFrame,
  federated_data: data.FederatedData,
  process: learning.LocalGlobalProcess,
  state: run_state.RunState | selection.ChosenModels,
) -> dict[str, float]:
  """Scores the chosen models on the common test set, together and as each client's data are.

  For sequences, and for annotators' answers, only the model with the mean of all weights is scored.
  Ensembles would hold the probabilities of a whole vocabulary for each client and position.

  A model whose global weights know each client treats the common test set as an unknown client.

  Args:
    clients: one row per client; gets a column `participant_test/accuracy`, see
      `evaluation.participant_accuracy`. Training and validation examples count as its data.
    federated_data: the clients' data.
    process: the one that trained the models.
    state: after the last round.

  Returns:
    `new_test/accuracy/...`, see `evaluation.NewTest`, and mean and standard deviation over clients
    of the column. For other labels, the main metric of the mean of all weights. Nothing without a
    common test set.
  """
  if not len(federated_data.test):
    return {}
  models_and_data = (
    process,
    state.server_state,
    state.selection,
    federated_data.test,
    evaluated_clients(clients),
  )
  label_counts = federated_data.label_counts()
  if label_counts is None:
    average = evaluation.evaluate_weight_average(*models_and_data)
    return {metric_names.new_test(process.model.metric_names[0], 'weight_average'): average}
  new_test = evaluation.evaluate_new_test(*models_and_data)
  summary = {
    metric_names.new_test('accuracy', name): value for name, value in new_test.accuracy.items()
  }
  name = metric_names.PARTICIPANT_ACCURACY
  column = evaluation.participant_accuracy(new_test.class_accuracy, label_counts)
  clients[name] = column
  return summary | over_clients(name, column)


def over_clients(name: str, values: np.ndarray) -> dict[str, float]:
  """Returns the mean and the standard deviation of a metric over clients; nothing if all are NaN.

  Args:
    name: of the metric in the table of clients.
    values: float [num_clients], NaN for a client that has none.
  """
  if not np.isfinite(values).any():
    return {}
  return {
    metric_names.mean(name): float(np.nanmean(values)),
    metric_names.std(name): float(np.nanstd(values)),
  }


def score_unknown_client(
  options: config_lib.TaskOptions,
  federated_data: data.FederatedData,
  process: learning.LocalGlobalProcess,
  state: run_state.RunState,
) -> dict[str, float]:
  """Scores a conditioned model on the test set, as of a client that took no part.

  Args:
    options: of the run.
    federated_data: the clients' data.
    process: the one that trained the model.
    state: after the last round; one best round for all clients.

  Returns:
    `unknown_client_test/<start>/accuracy` and, for two classes, `.../auc`. The client's shifts
    start at `mean`, the mean of the known clients, or at `zero`. Nothing for models that know no
    clients, or whose split differs from the paper's.

  Rieger et al. 2020, section 3: a new client is one without conditioning.
  """
  groups = state.selection.groups()
  conditioning = tasks.find_network(options).conditioning
  if conditioning is None or len(groups) != 1:
    return {}
  ((_, global_weights, states),) = groups
  global_names, _ = process.model.split(process.model.weight_names)
  global_layers = {name.partition('/')[0] for name in global_names}
  if global_layers != set(tasks.own_global_layers(options) or ()):
    # E.g. in local learning a new client would be without all weights, not just its shifts.
    return {}
  known = [client.local_weights for client in states]
  x = tf.constant(federated_data.test.x)
  summary = {}
  for start in ('mean', 'zero'):
    weights, client = global_weights, states[0]
    if conditioning == 'local':
      client = client._replace(local_weights=models.unknown_client_weights(known, start))
    elif start == 'zero':
      # The model takes the mean of its columns for a client it does not know.
      weights = tuple(
        np.zeros_like(weight) if name.endswith('/conditioning') else weight
        for name, weight in zip(global_names, weights, strict=True)
      )
    (predicted,) = process.predict(
      state.server_state._replace(global_weights=weights), [client], [x]
    )
    names = ('accuracy', 'auc') if predicted.shape[1] == 2 else ('accuracy',)
    values = exact.score('classification', names, predicted, federated_data.test.y)
    for name, value in values.items():
      summary[f'{metric_names.UNKNOWN_CLIENT_TEST}/{start}/{name}'] = value
  return summary


def evaluated_clients(clients: pd.DataFrame) -> np.ndarray | None:
  """Returns indices of the clients that are evaluated; None for all."""
  if metric_names.IS_EVALUATED not in clients:
    return None
  return np.flatnonzero(clients[metric_names.IS_EVALUATED])
