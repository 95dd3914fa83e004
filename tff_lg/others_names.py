"""Names of the scores of clients' models on the test data of the other clients."""

# What is in front of a metric in clients.parquet and in summary.json.
OTHERS_TEST = 'others_test'


def column(metric: str) -> str:
  """Returns the column of the table of clients with a metric of their models."""
  return f'{OTHERS_TEST}/{metric}'
