"""One local adaptation of some clients of a finished run, and the evaluation of what it gives."""

import functools
from collections.abc import Mapping, Sequence

import numpy as np

from tff_lg import adaptation as adaptation_lib
from tff_lg import config as config_lib
from tff_lg import data as data_lib
from tff_lg import learning, metric_names, models, seeds
from tff_lg.compatibility import tff
from tff_lg.config.option import resolved
from tff_lg.inputs import tasks
from tff_lg.learning.methods import local_only
from tff_lg.parts import Arrays
from tff_lg.personalization import choosing
from tff_lg.scoring import others, scores
from tff_lg.simulation import trained_run
from tff_lg.training import client_data, evaluation
from tff_lg.training import selection as selection_lib


def public_examples(
  clients: Sequence[data_lib.ClientExamples | data_lib.UnreadClient], num_examples: int, seed: int
) -> data_lib.Examples:
  """Draws examples from the validation data of all clients, in place of public data.

  All data of a simulation belong to someone. The common test set holds the clients' test
  examples, and the model fits the training examples already.

  Args:
    clients: with validation examples.
    num_examples: how many; all examples if there are fewer.
    seed: of the draw.

  Returns:
    The examples, in the clients' order, each at most once.
  """
  counts = [client.size('validation') for client in clients]
  rng = np.random.default_rng(seed)
  chosen = np.sort(rng.choice(sum(counts), min(num_examples, sum(counts)), replace=False))
  first = np.cumsum([0, *counts])
  owner = np.searchsorted(first, chosen, side='right') - 1
  parts = [
    clients[client].validation.take(chosen[owner == client] - first[client])
    for client in np.unique(owner)
  ]
  return data_lib.concatenate(parts)


def build_adaptation(
  config: config_lib.AdaptConfig, name: str, setting: Mapping[str, float]
) -> adaptation_lib.Adaptation:
  """Builds an adaptation with one of `config.settings(name)`; the config is resolved."""
  options = config_lib.TECHNIQUE_OPTIONS.build(config, name)
  return adaptation_lib.ADAPTATIONS[name].build(options, setting)


class ModelEvaluator:
  """Evaluates any weights of clients' models on the clients' test data and the common ones."""

  def __init__(self, source: trained_run.TrainedRun) -> None:
    """Evaluates models of this run's clients; nothing is built before the first call."""
    self._source = source
    self._label_counts = source.federated_data.label_counts()

  def __call__(self, clients: np.ndarray, weights: Sequence[models.ModelWeights]) -> Arrays:
    """Evaluates one model for each of some clients.

    Args:
      clients: int [n], indices.
      weights: all weights of each client's model.

    Returns:
      `local_test/...` of each metric and, of plain classes, `participant_test/accuracy`, float64
      [n] each, as in the run's own table of clients. NaN for a client without such data. Where that
      table has scores by example, these too, as texts, and those on others' data.
    """
    process, data = self._process, self._source.federated_data
    server_state = process.initialize(self._source.model.initial_weights)
    states = [learning.ClientState(tuple(of_client), ()) for of_client in weights]
    tests = [client_data.to_tensors(data.clients[client].test) for client in clients]
    values = evaluation.evaluate_clients(process, server_state, states, tests)
    result = {
      metric_names.local_test(name): values[name] for name in self._source.model.metric_names
    }
    if scores.predicts_all(data):
      predictions = process.predict(server_state, states, [tensors.x for tensors in tests])
      labels = [data.clients[client].test.y for client in clients]
      column, texts = scores.by_example(data.objective, predictions, labels)
      result[column] = np.array(texts, str)
    if self._source.pool is not None:
      result |= others.evaluate(process, server_state, states, clients, self._source.pool)
    if self._label_counts is not None:
      # Clients that share a model share its predictions.
      index: dict[tuple[int, ...], int] = {}
      model_of = [index.setdefault(tuple(map(id, of_client)), len(index)) for of_client in weights]
      different = [states[model_of.index(model)] for model in range(len(index))]
      selection = selection_lib.ModelSelection(process, len(different))
      selection.offer(0, np.zeros(len(different)), server_state.global_weights, different)
      new_test = evaluation.evaluate_new_test(process, server_state, selection, data.test)
      result[metric_names.PARTICIPANT_ACCURACY] = evaluation.participant_accuracy(
        new_test.class_accuracy[model_of], self._label_counts[clients]
      )
    return result

  @functools.cached_property
  def _process(self) -> learning.LocalGlobalProcess:
    # Where every weight is local, a client's state is all of its model.
    settings = learning.ProcessSettings(
      tff.learning.optimizers.build_sgdm(), learning.TensorBatches(None)
    )
    return learning.METHODS[local_only.NAME].build_process(self._source.model, settings)


class AdaptationWork:
  """Runs one adaptation with all of its settings; its computations are built when needed.

  Attributes:
    settings: what is tried, options by name.
    epochs: those after which models are compared, int [num_epochs].
  """

  def __init__(
    self,
    name: str,
    config: config_lib.AdaptConfig,
    source: trained_run.TrainedRun,
    evaluator: ModelEvaluator,
  ) -> None:
    """Prepares the technique on the clients of a run.

    Args:
      name: of the adaptation.
      config: resolved.
      source: the run whose clients are adapted.
      evaluator: of the adapted models.
    """
    self._name, self._config, self._source, self.evaluate = name, config, source, evaluator
    self._measured: dict[tuple[int, ...], object] = {}
    self.settings = config.settings(name)
    self.epochs = np.arange(0, config.epochs + 1, config.evaluate_every_epochs)

  def try_all(self, clients: np.ndarray) -> Arrays:
    """Adapts clients with all settings, and evaluates the models that they choose alone.

    Args:
      clients: int [n], indices.

    Returns:
      Arrays by name. `validation/accuracy` and `validation/loss` are float32
      [n, num_settings, num_epochs]. `num_validation` is int [n], `is_finite` bool
      [n, num_settings]. `is_chosen`, bool [n], tells if the client has chosen alone. The arrays of
      the evaluator have the scores of these clients, and NaN for the others.
    """
    weights, train = self._start(clients)
    validation = [
      client_data.to_tensors(self._source.federated_data.clients[client].validation)
      for client in clients
    ]
    measured = self._measure(weights)
    outputs = [
      process.adapt(weights, measured, train, validation) for process in self._processes
    ]  # by setting, then by client
    num_validation = np.array([output.num_validation_examples for output in outputs[0]])
    result = {
      metric_names.validation(metric): np.stack(
        [[output.validation[metric] for output in of_setting] for of_setting in outputs], axis=1
      )
      for metric in outputs[0][0].validation
    }
    is_chosen, choice = choosing.choose_alone(self._config, result, num_validation)
    evaluated = {}
    if choice is not None:
      rows = np.flatnonzero(is_chosen)
      evaluated = self.evaluate(
        clients[rows], [outputs[choice.setting[row]][row].weights for row in rows]
      )
    return {
      **result,
      'num_validation': num_validation,
      'is_finite': np.array([[output.is_finite for output in of] for of in outputs]).T,
      'is_chosen': is_chosen,
      **{name: choosing.spread(values, is_chosen) for name, values in evaluated.items()},
    }

  def train_to(self, clients: np.ndarray, setting: int, epoch: int) -> Arrays:
    """Adapts clients with one setting up to an epoch, and evaluates their models.

    Args:
      clients: int [n], indices.
      setting: index among the config's settings of this adaptation.
      epoch: one at which validation data are evaluated.

    Returns:
      `is_finite`, bool [n], and what the evaluator says.
    """
    outputs = self.adapt_to_epoch(clients, setting, epoch)
    return {
      'is_finite': np.array([output.is_finite for output in outputs]),
      **self.evaluate(clients, [output.weights for output in outputs]),
    }

  def adapt_to_epoch(
    self, clients: np.ndarray, setting: int, epoch: int
  ) -> Sequence[adaptation_lib.AdaptedWeights]:
    """Adapts clients with one setting up to an epoch.

    Args:
      clients: int [n], indices.
      setting: index among the config's settings of this adaptation.
      epoch: one at which validation data are evaluated.

    Returns:
      Each client's weights.
    """
    weights, train = self._start(clients)
    return self._processes[setting].adapt_to_epoch(
      weights, self._measure(weights), train, [np.int32(epoch)] * len(clients)
    )

  def aggregate(
    self, clients: np.ndarray, setting: int, epoch: int, client_weight: np.ndarray
  ) -> Arrays:
    """Adapts clients with one setting up to an epoch, and gives the mean of their models.

    Args:
      clients: int [n], indices.
      setting: index among the config's settings of this adaptation.
      epoch: one at which validation data are evaluated.
      client_weight: float32 [n], how much each counts.

    Returns:
      All weights of the mean model, as `0`, `1` and so on, and `client_weight`. The latter is the
      sum over the clients whose weights are finite, 0 without such clients.
    """
    weights, train = self._start(clients)
    output = self._processes[setting].aggregate(
      weights, self._measure(weights), train, [np.int32(epoch)] * len(clients), list(client_weight)
    )
    total = client_weight[np.array(output.is_finite, bool)].sum(dtype=np.float64)
    return {**{str(i): w for i, w in enumerate(output.weights)}, 'client_weight': total}

  def _start(self, clients: np.ndarray) -> tuple[list, list]:
    """Returns clients' initial weights, and their training data with the seeds of their order."""
    weights = [self._source.weights[client] for client in clients]
    train = [
      client_data.to_tensors(
        self._source.federated_data.clients[client].train, are_trained_on=True
      )._replace(
        # The same for all adaptations and settings, so that they differ by nothing else.
        seed=seeds.tensor_seed(self._config.seed, seeds.Purpose.ADAPTATION, int(client))
      )
      for client in clients
    ]
    return weights, train

  def _measure(self, weights: list) -> list:
    """Returns what is measured on public data, once for weights that clients share."""
    if build_adaptation(self._config, self._name, self.settings[0]).measure is None:
      return [()] * len(weights)  # No public data are read for it.
    keys = [tuple(map(id, of_client)) for of_client in weights]
    missing = {k: w for k, w in zip(keys, weights, strict=True) if k not in self._measured}
    self._measured = {key: self._measured[key] for key in keys if key in self._measured}
    if missing:
      of_missing = self._processes[0].measure(list(missing.values()), self._public_data)
      self._measured.update(zip(missing, of_missing, strict=True))
    return [self._measured[key] for key in keys]

  @functools.cached_property
  def _public_data(self) -> learning.ClientTensors:
    seed = seeds.derive_seed(self._config.seed, seeds.Purpose.SAMPLING, 1)
    clients, is_held_out = self._source.federated_data.clients, self._source.is_held_out
    of_training = [client for client, out in zip(clients, is_held_out, strict=True) if not out]
    return client_data.to_tensors(public_examples(of_training, self._config.fisher_examples, seed))

  @functools.cached_property
  def _processes(self) -> list[adaptation_lib.AdaptationProcess]:
    config = self._config
    return [
      adaptation_lib.build_adaptation_process(
        self._source.model,
        build_adaptation(config, self._name, setting),
        tff.learning.optimizers.build_sgdm(setting['learning_rate'], config.momentum),
        learning.TensorBatches(
          config.batch_size, augment=tasks.find_task(self._source.config.task_options).augment
        ),
        config.epochs,
        evaluate_every_epochs=config.evaluate_every_epochs,
        selection_metric=resolved(config.selection_metric),
      )
      for setting in self.settings
    ]
