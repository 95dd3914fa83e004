"""Files of a finished run that are made again from its last checkpoint."""

import os

from absl import logging

from tff_lg import checkpoints, checksums, file_names, files
from tff_lg.training import client_curves, releases


def mend(run_dir: str) -> bool:
  """Makes files of a finished run again that are missing or damaged, where a checkpoint has them.

  Metrics by round, communication and the curves per client are written. All other results follow
  from the checkpoint's models: the run is made one that has not ended, and resumes after its last
  round.

  Args:
    run_dir: of a finished run. One without checkpoints stays as it is.

  Returns:
    Whether the run still has ended.

  Raises:
    checkpoints.CheckpointError: a file and the checkpoint are damaged.
  """
  tables = [os.path.basename(path) for path in releases.table_paths(run_dir)]
  damaged = [
    name
    for name in checksums.MADE_AGAIN
    if (name in tables or checksums.has(os.path.join(run_dir, name)))
    and not checksums.is_whole(os.path.join(run_dir, name))
  ]
  if not damaged:
    return True
  loaded = checkpoints.CheckpointManager(
    os.path.join(run_dir, file_names.CHECKPOINTS)
  ).load_latest()
  if loaded is None:
    return True
  contents = {
    **releases.list_files(checkpoints.without_prefix(releases.CHECKPOINT_NAME, loaded[1])),
    **client_curves.list_files(
      checkpoints.without_prefix(client_curves.ClientCurves.name, loaded[1])
    ),
  }
  for name in damaged:
    if name in contents:
      files.write_atomically(os.path.join(run_dir, name), contents[name])
  others = [name for name in damaged if name not in contents]
  # A run that resumes makes no table again that an older checkpoint lacks.
  lost = {*others} & {*tables, file_names.CLIENT_CURVES}
  mended = [name for name in damaged if name in contents or not lost]
  if mended:
    text = ' and '.join(os.path.join(run_dir, name) for name in mended)
    logging.warning('%s: written again from the last checkpoint.', text)
  if lost or not others:
    return True
  os.unlink(os.path.join(run_dir, file_names.SUMMARY))
  return False
