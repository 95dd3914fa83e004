"""Names of what it took a run to first reach an accuracy: some rooms write them, others read."""

ACCURACY = 'local_test/accuracy/pooled'
# What is counted -> the column of metrics.csv that counts it.
COUNTS = {
  'rounds_to': 'round_num',
  'parameters_to': 'communication/parameters_total',
  'bytes_to': 'communication/bytes_total',
}


def goal_counts(goal: float) -> dict[str, str]:
  """Names in summary.json of rounds, parameters and bytes to a goal, each with its column."""
  return {f'{count}/{goal}/{ACCURACY}': column for count, column in COUNTS.items()}
