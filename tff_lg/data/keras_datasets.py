"""Data sets that Keras downloads and caches, for when the user has no files."""

import numpy as np

from tff_lg.data import examples


def load(name: str, class_names: tuple[str, ...], files: str) -> examples.Source:
  """Loads an image data set from `tf.keras.datasets`.

  Args:
    name: the module's name there, e.g. 'mnist'.
    class_names: one name a class.
    files: what to put into `data_dir` instead, for the error message.

  Returns:
    The data set; Keras keeps the download below `~/.keras/datasets`.

  Raises:
    DataError: the download failed.
  """
  # Imported here: nothing else in this room needs TensorFlow.
  import tensorflow as tf

  try:
    train, test = getattr(tf.keras.datasets, name).load_data()
  except Exception as error:  # What Keras raises when the network fails is a plain Exception.
    raise examples.DataError(
      f'{name} could not be downloaded ({error}): without a network, '
      f'put {files} into a folder and give it as data_dir.'
    ) from error
  return examples.Source(
    name=name,
    train=_examples(*train),
    test=_examples(*test),
    num_classes=len(class_names),
    class_names=class_names,
  )


def _examples(images: np.ndarray, labels: np.ndarray) -> examples.Examples:
  if images.ndim == 3:  # Grey images come without channels.
    images = images[..., np.newaxis]
  return examples.Examples(examples.scale_pixels(images), labels.reshape(-1).astype(np.int32))
