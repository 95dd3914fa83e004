"""The task `client_files`: data that are split by client and do not fit in memory."""

import os

from tff_lg import config as config_lib
from tff_lg import data
from tff_lg.config.option import resolved


def load_data(config: config_lib.TrainConfig, seed: int) -> data.FederatedData:
  """Lists the clients of a folder or of TFF's database; their examples are read when needed.

  Args:
    config: resolved.
    seed: of the split of each client's examples, where the data have none.

  Returns:
    The clients' data, without a common test set.

  Raises:
    data.DataError: files missing or damaged.
    ValueError: TFF's database with labels that are no classes.
  """
  path = os.path.expanduser(resolved(config.data_dir))
  split = data.PartSplit(resolved(config.validation_fraction), resolved(config.test_fraction), seed)
  if os.path.isdir(path):
    return data.load_client_folder(
      path,
      resolved(config.num_classes),
      objective=config.predicts.name,
      split=split,
      cache_size=resolved(config.client_cache),
    )
  if config.predicts.name != 'classification':
    raise ValueError(
      f"--objective is {config.objective}, but --data_dir={path} is TFF's database, whose labels "
      'are classes: expected a folder with an npz file a client.'
    )
  return data.load_client_database(
    path,
    resolved(config.num_classes),
    keys=config.example_keys or ('x', 'y'),
    example_shape=config.example_shape,
    split=split,
    cache_size=resolved(config.client_cache),
  )
