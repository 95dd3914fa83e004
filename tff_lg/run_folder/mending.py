"""Files of a finished run that are made again from its last checkpoint."""

import os

from absl import logging

from tff_lg import checkpoints, checksums
from tff_lg.training import releases


def mend_tables(run_dir: str) -> None:
  """Writes the tables of metrics again if one is missing or damaged and the checkpoint has them.

  Args:
    run_dir: of a finished run. One without checkpoints stays as it is.

  Raises:
    checkpoints.CheckpointError: a table and the checkpoint are damaged.
  """
  damaged = [path for path in releases.table_paths(run_dir) if not _is_whole(path)]
  if not damaged:
    return
  loaded = checkpoints.CheckpointManager(os.path.join(run_dir, 'checkpoints')).load_latest()
  if loaded is None:
    return
  tables = releases.from_arrays(checkpoints.without_prefix(releases.CHECKPOINT_NAME, loaded[1]))
  if tables:
    releases.write_tables(run_dir, tables)
    logging.warning('%s: written again from the last checkpoint.', ' and '.join(damaged))


def _is_whole(path: str) -> bool:
  try:
    checksums.check(path)
  except checksums.DamagedFileError:
    return False
  return os.path.exists(path)
