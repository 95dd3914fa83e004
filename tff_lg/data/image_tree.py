"""Images in folders by client and class, found without TensorFlow."""

import pathlib
from collections.abc import Iterator
from typing import NamedTuple

from tff_lg.data import examples, visible_files

ENDINGS = ('.jpg', '.jpeg', '.png', '.bmp', '.gif')
_PARTS = ('train', 'test')
# Folders of a class and of a client's class.
_DEPTHS = (1, 2)


class ImageFile(NamedTuple):
  """An image and what its folders say of it.

  Attributes:
    path: of the file.
    label: its class.
    client: whose it is; None where the folders name no clients.
    is_test: whether it is for testing; None where the folders do not tell.
  """

  path: pathlib.Path
  label: str
  client: str | None
  is_test: bool | None


def list_images(data_dir: str) -> list[ImageFile]:
  """Lists the images of a folder.

  They are in folders CLIENT/CLASS or CLASS. With folders `train` and `test`, these are in both.
  Files whose names do not end as those of images, and hidden files and folders, are left out.

  Args:
    data_dir: the folder.

  Returns:
    The images in the order of their paths; at least one, and one for training.

  Raises:
    DataError: no image, or one at another depth; one sentence.
  """
  root = pathlib.Path(data_dir).expanduser()
  paths = find_paths(root)
  has_parts = _has_parts(root)
  tops = {path.relative_to(root).parts[0] for path in paths}
  if not paths or has_parts and _PARTS[0] not in tops:
    raise examples.DataError(
      f'data_dir: no image found in {root / _PARTS[0] if has_parts else root}, expected files that '
      f'end in {", ".join(ENDINGS)}.'
    )
  if others := has_parts and sorted(tops.difference(_PARTS)):
    raise examples.DataError(
      f'{root}: {others[0]} found beside train, expected train and test alone; '
      '--validation_fraction takes validation examples from train.'
    )
  found: list[ImageFile] = []
  for path in paths:
    *folders, _ = path.relative_to(root).parts
    part = folders.pop(0) if has_parts else None
    if len(folders) not in _DEPTHS or found and (found[0].client is None) != (len(folders) == 1):
      raise examples.DataError(
        f'{path}: found in {"/".join(folders) or "no folder"}, expected CLIENT/CLASS or CLASS, '
        'the same for all images.'
      )
    client = folders[0] if len(folders) > 1 else None
    found.append(ImageFile(path, folders[-1], client, None if part is None else part == _PARTS[1]))
  return found


def has_clients(data_dir: str) -> bool:
  """Returns whether the first image found is in a client's folder; False without any."""
  root = pathlib.Path(data_dir).expanduser()
  first = next(_find(root), None)
  if first is None:
    return False
  *folders, _ = first.relative_to(root).parts
  return len(folders) - _has_parts(root) > 1


def find_paths(root: pathlib.Path) -> list[pathlib.Path]:
  """Returns the images of a folder and of all folders in it, in order; hidden ones left out."""
  return sorted(_find(root))


def _has_parts(root: pathlib.Path) -> bool:
  return (root / _PARTS[0]).is_dir()


def _find(root: pathlib.Path) -> Iterator[pathlib.Path]:
  return (path for path in visible_files.walk(root) if path.name.lower().endswith(ENDINGS))
