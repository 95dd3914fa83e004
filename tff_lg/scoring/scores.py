"""Test scores of the clients' chosen models: on each client's own examples, all pooled, common."""

import numpy as np
import pandas as pd
import tensorflow as tf

from tff_lg import config as config_lib
from tff_lg import data, learning, models, verdicts
from tff_lg.tasks import embedding_task
from tff_lg.training import client_data, evaluation, run_state, selection

# Columns of the table of clients in which runs are compared with their baselines.
COMPARED = ('local_test/accuracy', 'participant_test/accuracy')


def add_scores(
  clients: pd.DataFrame,
  federated_data: data.FederatedData,
  process: learning.LocalGlobalProcess,
  state: run_state.RunState | selection.ChosenModels,
) -> dict[str, float]:
  """Scores the chosen models on the clients' test examples.

  Args:
    clients: a row a client; gets a column `local_test/correct`, see `verdicts.to_marks`, where
      predictions of all test examples fit into memory, and `local_test/auc` where there are two
      classes, NaN for a client without examples of both. Clients that are not `is_evaluated`,
      where there is such a column, do not count.
    federated_data: the clients' data.
    process: the one that trained the models.
    state: after the last round.

  Returns:
    `pooled_test/accuracy` and, where there are two classes, `pooled_test/auc`: of all
    clients' test examples together, each predicted by its own client's model; and
    mean and standard deviation over clients of the column.
  """
  evaluated = evaluated_clients(clients)
  of_clients = np.arange(len(clients)) if evaluated is None else evaluated
  if not any(federated_data.clients[client].size('test') for client in of_clients):
    return {}
  is_large = federated_data.reader is not None and federated_data.num_classes > 2
  if is_large or not federated_data.has_plain_labels:
    # The probabilities of a whole vocabulary at every position do not fit into memory, those of
    # clients that are not in memory need not, and only the model weighs annotators' answers.
    rows = clients.iloc[of_clients]
    num_test, accuracy = (rows[name].to_numpy() for name in ('num_test', 'local_test/accuracy'))
    return {'pooled_test/accuracy': evaluation.pooled(accuracy, num_test)}
  tests = client_data.part_tensors(federated_data, 'test')
  predictions = evaluation.predict_selected(
    process, state.server_state, state.selection, tests, of_clients
  )
  labels = [federated_data.clients[client].test.y for client in of_clients]
  summary = {
    f'pooled_test/{name}': value
    for name, value in _score(np.concatenate(predictions), np.concatenate(labels)).items()
  }
  marks = np.full(len(clients), None, object)
  marks[of_clients] = [
    verdicts.to_marks(p.argmax(axis=1) == y) for p, y in zip(predictions, labels, strict=True)
  ]
  clients[verdicts.MARKS] = marks
  if 'pooled_test/auc' in summary:
    column = np.full(len(clients), np.nan)
    column[of_clients] = [auc(*pair) for pair in zip(predictions, labels, strict=True)]
    clients['local_test/auc'] = column
    summary.update(over_clients('local_test/auc', column))
  return summary


def add_new_test(
  clients: pd.DataFrame,
  federated_data: data.FederatedData,
  process: learning.LocalGlobalProcess,
  state: run_state.RunState | selection.ChosenModels,
) -> dict[str, float]:
  """Scores the chosen models on the common test set, together and as each client's data are.

  Of sequences only the model with the mean of all weights is scored: ensembles would hold the
  probabilities of a whole vocabulary for each client and position. So it is where annotators'
  answers are weighed.

  A model `cgau_shared` meets the common test set as a client that it does not know.

  Args:
    clients: a row a client; gets a column `participant_test/accuracy`, see
      `evaluation.participant_accuracy`. Training and validation examples count as its data.
    federated_data: the clients' data.
    process: the one that trained the models.
    state: after the last round.

  Returns:
    `new_test/accuracy/...`, see `evaluation.NewTest`; mean and standard deviation over
    clients of the column. Nothing without a common test set.
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
    return {'new_test/accuracy/weight_average': average}
  new_test = evaluation.evaluate_new_test(*models_and_data)
  summary = {f'new_test/accuracy/{name}': value for name, value in new_test.accuracy.items()}
  name = 'participant_test/accuracy'
  column = evaluation.participant_accuracy(new_test.class_accuracy, label_counts)
  clients[name] = column
  return summary | over_clients(name, column)


def over_clients(name: str, values: np.ndarray) -> dict[str, float]:
  """Returns the mean and the standard deviation of a metric over clients; nothing if all are NaN.

  Args:
    name: of the metric, before `/mean_over_clients` and `/std_over_clients`.
    values: float [num_clients], NaN for a client that has none.
  """
  if not np.isfinite(values).any():
    return {}
  return {
    f'{name}/mean_over_clients': float(np.nanmean(values)),
    f'{name}/std_over_clients': float(np.nanstd(values)),
  }


def score_unknown_client(
  config: config_lib.TrainConfig,
  federated_data: data.FederatedData,
  process: learning.LocalGlobalProcess,
  state: run_state.RunState,
) -> dict[str, float]:
  """Scores a conditioned model on the test set, as a client has it that took no part.

  Args:
    config: of the run.
    federated_data: the clients' data.
    process: the one that trained the model.
    state: after the last round; one best round for all clients.

  Returns:
    `unknown_client_test/<start>/accuracy` and, for two classes, `.../auc`, where the
    start of the client's shifts is `mean`, that of the known clients, or `zero`; nothing
    for models that know no clients, or whose split is another than the paper's.

  Rieger et al. 2020, section 3: a new client is one without conditioning.
  """
  groups = state.selection.groups()
  if config.model not in ('cgau_shared', 'cgau_local') or len(groups) != 1:
    return {}
  ((_, global_weights, states),) = groups
  global_names, _ = process.model.split(process.model.weight_names)
  global_layers = {name.partition('/')[0] for name in global_names}
  if global_layers != set(embedding_task.global_layers(config)):
    # E.g. in local learning a new client would be without all weights, not just its shifts.
    return {}
  known = [client.local_weights for client in states]
  x = tf.constant(federated_data.test.x)
  summary = {}
  for start in ('mean', 'zero'):
    weights, client = global_weights, states[0]
    if config.model == 'cgau_local':
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
    for name, value in _score(predicted, federated_data.test.y).items():
      summary[f'unknown_client_test/{start}/{name}'] = value
  return summary


def evaluated_clients(clients: pd.DataFrame) -> np.ndarray | None:
  """Indices of the clients that are evaluated; None for all."""
  if evaluation.IS_EVALUATED not in clients:
    return None
  return np.flatnonzero(clients[evaluation.IS_EVALUATED])


def _score(probabilities: np.ndarray, y: np.ndarray) -> dict[str, float]:
  scores = {'accuracy': float((probabilities.argmax(axis=1) == y).mean())}
  if probabilities.shape[1] == 2:
    scores['auc'] = auc(probabilities, y)
  return scores


def auc(probabilities: np.ndarray, y: np.ndarray) -> float:
  """Returns the area under the receiver operating characteristic.

  Args:
    probabilities: float [n, 2], of both classes.
    y: int [n], 0 or 1.

  Returns:
    The area; NaN without examples of both classes, or if the model has diverged.
  """
  from sklearn import metrics  # It takes a second to import.

  if len(np.unique(y)) < 2 or not np.isfinite(probabilities).all():
    return float('nan')
  return float(metrics.roc_auc_score(y, probabilities[:, 1]))
