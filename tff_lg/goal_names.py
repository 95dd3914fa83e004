"""Names of what it took a run to first reach an accuracy: some rooms write them, others read."""

# What is counted -> the column of metrics.csv that counts it.
COUNTS = {
  'rounds_to': 'round_num',
  'parameters_to': 'communication/parameters_total',
  'bytes_to': 'communication/bytes_total',
}


def pooled(metric: str = 'accuracy') -> str:
  """Returns the column of metrics.csv with a metric of all clients' test examples together."""
  return f'local_test/{metric}/pooled'


def goal_counts(goal: float, metric: str = 'accuracy') -> dict[str, str]:
  """Returns the names in summary.json of rounds and traffic to a goal, each with its column."""
  return {f'{count}/{goal}/{pooled(metric)}': column for count, column in COUNTS.items()}
