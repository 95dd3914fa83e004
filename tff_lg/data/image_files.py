"""The user's own images, a file each, in folders by client and class."""

import pathlib
from collections.abc import Sequence

import numpy as np

from tff_lg import progress
from tff_lg.data import bounded, examples, image_tree, own_data


def load_images(
  data_dir: str, *, size: tuple[int, int] | None = None, channels: int = 3, seed: int = 0
) -> examples.Source:
  """Loads the images of a folder.

  | folders | clients | test examples |
  |---|---|---|
  | `CLIENT/CLASS/image.png` | of the first folder | a fifth of each client's, stratified by class |
  | `CLASS/image.png` | none, for a partition | a fifth, stratified by class |
  | `train/…` and `test/…`, either of these in both | as above | those of `test` |

  Args:
    data_dir: the folder. Images are JPEG, PNG, BMP or GIF files, of which the first picture counts.
    size: height and width to which images are resized, bilinear and without aliasing. Without it,
      all images have one size.
    channels: 3 for colours, 1 for grey.
    seed: of the split, where one is made.

  Returns:
    The data set. `x` is float32 [n, height, width, channels] in [0, 1]; classes are by the
    alphabet.

  Raises:
    DataError: no images, images in other folders, a damaged one, one of another size, or more than
      there is memory for; one sentence.
  """
  listed = image_tree.list_images(data_dir)
  pixels = _read([each.path for each in listed], size, channels)
  arrays = [pixels, np.array([each.label for each in listed])]
  if listed[0].client is not None:
    arrays.append(np.array([each.client for each in listed]))
  # By the order of paths, test images come before those for training: slices copy no pixels.
  num_test = sum(each.is_test is True for each in listed)
  test = None if listed[0].is_test is None else tuple(array[:num_test] for array in arrays)
  train = (array[num_test:] for array in arrays)
  return own_data.from_arrays(*train, test=test, seed=seed, where=data_dir)


def _read(paths: Sequence[pathlib.Path], size: tuple[int, int] | None, channels: int) -> np.ndarray:
  """Returns the pixels of images, uint8 [n, height, width, channels]."""
  import tensorflow as tf  # It takes seconds to import.

  def read(path: tf.Tensor) -> tf.Tensor:
    content = tf.io.read_file(path)
    image = tf.io.decode_image(content, channels=channels, expand_animations=False)
    image = tf.ensure_shape(image, [None, None, channels])
    if size is not None:
      image = tf.saturate_cast(tf.round(tf.image.resize(image, size, antialias=True)), tf.uint8)
    return image

  dataset = tf.data.Dataset.from_tensor_slices([str(path) for path in paths])
  images = dataset.map(read, tf.data.AUTOTUNE, deterministic=True).as_numpy_iterator()
  pixels = np.empty((0, 0, 0, channels), np.uint8)
  for row, path in enumerate(progress.over(paths, len(paths), 'image', 'reading')):
    try:
      image = next(images)
    except tf.errors.OpError as error:
      raise examples.DataError(
        f'{path}: cannot be read as an image of {channels} channels ({type(error).__name__}).'
      ) from error
    if not row:
      # Training has them as float32.
      bounded.check(path.parent, 4 * image.size * len(paths))
      pixels = np.empty((len(paths), *image.shape), np.uint8)
    if image.shape != pixels.shape[1:]:
      found, expected = image.shape, pixels.shape[1:]
      raise examples.DataError(
        f'{path}: {found[0]} x {found[1]} pixels found, expected {expected[0]} x {expected[1]} as '
        f'in {paths[0].name}; --image_size={expected[0]},{expected[1]} resizes all images.'
      )
    pixels[row] = image
  return pixels
