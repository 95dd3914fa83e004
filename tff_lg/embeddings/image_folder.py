"""The images in a folder, found without TensorFlow."""

import pathlib

from tff_lg.data import image_tree
from tff_lg.embeddings import embedding_set


def find_images(folder: str) -> list[pathlib.Path]:
  """Finds the images of a folder and of all folders in it, by the ends of their names.

  Hidden files and folders are left out, as `--task=images` leaves them out.

  Args:
    folder: where to look.

  Returns:
    Their paths, in order; at least one.

  Raises:
    EmbeddingError: no folder, or no image in it; one sentence.
  """
  root = pathlib.Path(folder).expanduser()
  paths = image_tree.find_paths(root)
  if not paths:
    raise embedding_set.EmbeddingError(
      f'--data_dir: no image found in {root}, expected files that end in '
      f'{", ".join(image_tree.ENDINGS)}.'
    )
  return paths
