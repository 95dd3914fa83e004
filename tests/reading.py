"""Reading what runs write."""

import os


def read(*path: str) -> bytes:
  """Returns the content of the file at a path, given in one part or several."""
  with open(os.path.join(*path), 'rb') as file:
    return file.read()


def read_events(run_dir: str) -> dict[tuple[int, str], float]:
  """Returns the values in a run's files of TensorBoard by step and name."""
  import tensorflow as tf  # It takes seconds to import, and few tests need it.

  folder = os.path.join(run_dir, 'tensorboard')
  paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
  return {
    (event.step, value.tag): float(tf.make_ndarray(value.tensor))
    for path in paths
    for event in tf.compat.v1.train.summary_iterator(path)
    for value in event.summary.value
  }
