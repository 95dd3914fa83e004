"""Names of metrics in a run folder, and what people call methods and ensembles."""

# Columns of clients.parquet, which also get `<baseline>/` in front, and stems of
# the columns of metrics.csv and of the entries of summary.json.
LOCAL_TEST = 'local_test/accuracy'
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
# The same, were every round's broadcast sent to all clients, sampled or not.
PARAMETERS_TO_ALL = 'communication/broadcast_to_all/parameters_total'
BYTES_TO_ALL = 'communication/broadcast_to_all/bytes_total'
# Text: on which data models were chosen.
PROTOCOL_NOTE = 'protocol/note'

NEW_TEST = 'new_test/accuracy'
# Ensemble in `new_test/accuracy/<ensemble>` -> what a table calls it.
ENSEMBLES = {
  'ensemble_probability': 'probabilities',
  'ensemble_log_probability': 'log-prob.',
  'ensemble_vote': 'vote',
  'weight_average': 'mean weights',
}

LOCAL_ONLY = 'local_only'
_METHODS = {
  LOCAL_ONLY: 'Local only',
  'fedavg': 'FedAvg',
  'fedprox': 'FedProx',
  'fedsgd': 'FedSGD',
  'lg_fedavg': 'LG-FedAvg',
}


def method_name(method: str) -> str:
  """What people call a method: `LG-FedAvg` for `lg_fedavg`; an unknown one as it is."""
  return _METHODS.get(method, method)


def axis_value(axis: str, value: str) -> str:
  """What people call a value of a sweep's axis: a method by its name, others as they are."""
  return method_name(value) if axis == 'method' else value
