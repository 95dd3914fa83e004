"""Labels of methods, partitions, models and ensembles, as people call them."""

import os

from tff_lg import metric_names, verdicts
from tff_lg.adaptation import ADAPTATIONS
from tff_lg.aggregators import AGGREGATORS, MECHANISMS, PLAIN_MEAN
from tff_lg.data import PARTITIONS
from tff_lg.learning.methods import METHODS, local_only

# Ensemble in `new_test/accuracy/<ensemble>` -> what a table calls it.
ENSEMBLES = {
  'ensemble_probability': 'probabilities',
  'ensemble_log_probability': 'log-prob.',
  'ensemble_vote': 'vote',
  'weight_average': 'mean weights',
}

LOCAL_ONLY = local_only.NAME
_OWN_MODELS = {'own_linear': 'Own linear model', 'own_boosting': 'Own boosted trees'}
_MODELS = {
  metric_names.FEDERATED: 'Federated',
  metric_names.BEST: 'Best by validation',
  metric_names.RETRAINED: 'Trained again',
}


def method_name(method: str) -> str:
  """Returns the label of a method: `LG-FedAvg` for `lg_fedavg`; an unknown one unchanged."""
  if method in METHODS:
    return METHODS[method].label
  return _OWN_MODELS.get(method, method)


def partition_name(partition: str) -> str:
  """Returns partition and number: `IID`, `2 classes per client` for `classes_per_client=2`."""
  name, _, number = partition.partition('=')
  label = PARTITIONS[name].label if name in PARTITIONS else name.replace('_', ' ') + ' {}'
  return label.format(number).strip()


def aggregator_name(aggregator: str) -> str:
  """Returns the label of an aggregator: `DP mean` for `dp_mean`."""
  if aggregator in AGGREGATORS:
    return AGGREGATORS[aggregator].label
  return aggregator.replace('_', ' ')


def run_name(method: str, aggregator: str | None, mechanism: str | None = None) -> str:
  """Returns a run by what was run: `FedAvg, median`; the mean, or None, goes without saying.

  Args:
    method: of the run.
    aggregator: of the run.
    mechanism: of a private aggregator, which then follows it.
  """
  if aggregator is None or aggregator == PLAIN_MEAN:
    return method_name(method)
  name = f'{method_name(method)}, {aggregator_name(aggregator)}'
  if mechanism is None:
    return name
  return f'{name}, {MECHANISMS[mechanism].label if mechanism in MECHANISMS else mechanism}'


def model_name(model: str) -> str:
  """Returns the label of a model of an adaptation run: `Base frozen` for `freeze_base`."""
  adaptation, epochs = metric_names.split_aggregated(model)
  name = _MODELS.get(adaptation, method_name(adaptation))
  if adaptation in ADAPTATIONS:
    name = ADAPTATIONS[adaptation].label
  return f'{name}, {epochs} epochs, aggregated' if epochs else name


def axis_value(axis: str, value: str) -> str:
  """Returns the label of a value of a sweep's axis: a method or a file by name, others as is."""
  if axis == 'flagfile':
    return os.path.splitext(os.path.basename(value))[0]
  return method_name(value) if axis == 'method' else value


def is_text(column: str) -> bool:
  """Returns whether a column of clients.parquet holds texts; all others hold numbers."""
  texts = (metric_names.ADVICE, metric_names.OWN_MODEL, verdicts.MARKS, verdicts.VALUES)
  return column in texts or column.endswith('/verdict')
