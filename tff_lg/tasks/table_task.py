"""The task `table`: the user's own rows, spread by a column or by a partition."""

from tff_lg import config as config_lib
from tff_lg import data
from tff_lg.config.option import resolved


def load_source(config: config_lib.TrainConfig, seed: int) -> data.Source:
  """Loads the table, or generates one.

  Args:
    config: resolved.
    seed: of the rows that are for testing, where no column says it, and of a generated table.

  Returns:
    The data set before it is spread over clients.

  Raises:
    data.DataError: files or columns missing, or values that cannot be.
  """
  path = config.data_dir
  return data.load_table(
    data.generate_patients(seed) if path is None else path,
    resolved(config.label_column),
    config.client_column,
    objective=config.predicts.name,
    test_column=config.test_column,
    time_column=config.time_column,
    test_fraction=config.test_fraction or 0.0,
    category_columns=config.category_columns or (),
    ignored_columns=config.ignored_columns or (),
    standardize=resolved(config.standardize),
    seed=seed,
  )
