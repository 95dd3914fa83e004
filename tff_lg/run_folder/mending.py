"""Files of a finished run that are made again from its last checkpoint."""

import os

from absl import logging

from tff_lg import checkpoints, checksums, file_names, files
from tff_lg.training import client_curves, releases


def mend_tables(run_dir: str) -> None:
  """Writes tables of metrics again that are missing or damaged and that the checkpoint has.

  These are the metrics and the communication by round, and the curves per client.

  Args:
    run_dir: of a finished run. One without checkpoints stays as it is.

  Raises:
    checkpoints.CheckpointError: a table and the checkpoint are damaged.
  """
  tables = releases.table_paths(run_dir)
  curves = os.path.join(run_dir, file_names.CLIENT_CURVES)
  if checksums.has(curves):
    tables.append(curves)
  damaged = [path for path in tables if not _is_whole(path)]
  if not damaged:
    return
  loaded = checkpoints.CheckpointManager(os.path.join(run_dir, 'checkpoints')).load_latest()
  if loaded is None:
    return
  contents = {
    **releases.list_files(checkpoints.without_prefix(releases.CHECKPOINT_NAME, loaded[1])),
    **client_curves.list_files(
      checkpoints.without_prefix(client_curves.ClientCurves.name, loaded[1])
    ),
  }
  mended = [path for path in damaged if os.path.basename(path) in contents]
  for path in mended:
    files.write_atomically(path, contents[os.path.basename(path)])
  if mended:
    logging.warning('%s: written again from the last checkpoint.', ' and '.join(mended))


def _is_whole(path: str) -> bool:
  try:
    checksums.check(path)
  except checksums.DamagedFileError:
    return False
  return os.path.exists(path)
