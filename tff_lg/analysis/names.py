"""Names of metrics in a run folder, and what people call methods and ensembles."""

import os

from tff_lg import verdicts
from tff_lg.adaptation import ADAPTATIONS
from tff_lg.aggregators import AGGREGATORS, MECHANISMS, PLAIN_MEAN
from tff_lg.data import PARTITIONS
from tff_lg.learning.methods import METHODS, local_only

# Columns of clients.parquet, which also get `<baseline>/` in front, and stems of
# the columns of metrics.csv and of the entries of summary.json.
LOCAL_TEST = 'local_test/accuracy'
# On the whole test set, its classes weighted by their shares in the client's training data.
PARTICIPANT_TEST = 'participant_test/accuracy'
VALIDATION = 'validation/accuracy'

LOCAL_TEST_MEAN = 'local_test/accuracy/mean_over_clients'
LOCAL_TEST_STD = 'local_test/accuracy/std_over_clients'
VALIDATION_MEAN = 'validation/accuracy/mean_over_clients'
TRAIN_LOSS = 'train/loss'
VALIDATION_LOSS = 'validation/loss/mean_over_clients'
LOCAL_TEST_LOSS = 'local_test/loss/mean_over_clients'
NUM_CLIENTS_LEFT_OUT = 'train/num_clients_left_out'
PARAMETERS_TOTAL = 'communication/parameters_total'
BYTES_TOTAL = 'communication/bytes_total'
# The cost of a training step to a client.
FLOPS_PER_EXAMPLE = 'client/flops_per_example'
MEMORY_BYTES = 'client/memory_bytes'
# The same, were every round's broadcast sent to all clients, sampled or not.
PARAMETERS_TO_ALL = 'communication/broadcast_to_all/parameters_total'
BYTES_TO_ALL = 'communication/broadcast_to_all/bytes_total'
# Column of clients.parquet, only with an attack: 1 where the client is malicious.
IS_MALICIOUS = 'is_malicious'
# Column of held-out clients: 1 where the client's validation data choose for all.
IS_VALIDATION_CLIENT = 'is_validation_client'
# Text column of the clients.parquet of local learning: the kind of model of each client.
OWN_MODEL = 'own_model'
# The method that a client should use, see docs/VERDICTS.md.
ADVICE = 'advice'
# Columns and entries of what test data say of each client, under `verdict_over/<baseline>/`.
VERDICT_OVER = 'verdict_over/'
OWN_MODELS = 'own_models/'  # Prefix of what is known of locally trained models.
# How many clients are evaluated, where that is a sample.
NUM_EVALUATED = 'evaluated/num_clients'
# Rounds that early stopping or a goal saved, and those of a warm start with a goal.
ROUNDS_SAVED = 'early_stopping/rounds_saved'
WARM_START_ROUNDS = 'warm_start_until/rounds'
# What a run went on with, and after which rounds; a text.
CHANGED_SETTINGS = 'changed_settings'
PRIVACY = 'privacy/'  # Prefix of what is known of a run's privacy.
EPSILON = 'privacy/epsilon'
DELTA = 'privacy/delta'
NOISE_MULTIPLIER = 'privacy/noise_multiplier'
PRIVACY_WARNING = 'privacy/warning'  # Alone, or a prefix of what it is about.
ATTACK = 'attack/'  # Prefix of what is known of an attack.
ATTACK_NAME = 'attack/name'
MALICIOUS_SHARE = 'attack/malicious_share'
BACKDOOR_SUCCESS = 'backdoor/success'
HONEST_LOCAL_TEST_MEAN = 'honest/local_test/accuracy/mean_over_clients'
# Text: on which data models were chosen.
PROTOCOL_NOTE = 'protocol/note'

# Models of an adaptation run, in front of the columns of clients.parquet: the one that
# adaptation starts from, and for each client the best of it and the adapted ones.
FEDERATED = 'federated'
BEST = 'best'
# What came after adapting: the source run trained again, and who was left out of that.
RETRAINED = 'retrained'
IS_REMOVED = 'is_removed'
_AGGREGATED = '_aggregated_'

NEW_TEST = 'new_test/accuracy'
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
  FEDERATED: 'Federated',
  BEST: 'Best by validation',
  RETRAINED: 'Trained again',
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
  adaptation, _, epochs = model.partition(_AGGREGATED)
  name = _MODELS.get(adaptation, method_name(adaptation))
  if adaptation in ADAPTATIONS:
    name = ADAPTATIONS[adaptation].label
  return f'{name}, {epochs} epochs, aggregated' if epochs else name


def aggregated_model(adaptation: str, epochs: int) -> str:
  """Returns the mean of models that an adaptation gave after some epochs, as in clients.parquet."""
  return f'{adaptation}{_AGGREGATED}{epochs}'


def axis_value(axis: str, value: str) -> str:
  """Returns the label of a value of a sweep's axis: a method or a file by name, others as is."""
  if axis == 'flagfile':
    return os.path.splitext(os.path.basename(value))[0]
  return method_name(value) if axis == 'method' else value


def is_text(column: str) -> bool:
  """Returns whether a column of clients.parquet holds texts; all others hold numbers."""
  return column in (ADVICE, OWN_MODEL, verdicts.MARKS, verdicts.VALUES) or column.endswith(
    '/verdict'
  )
