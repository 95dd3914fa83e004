"""The task `images`: the user's own images, in folders by client and class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from tff_lg import data, entries, option_check
from tff_lg.tasks import task

_NAME = 'images'


@attrs.frozen(kw_only=True)
class Options:
  """Options of images."""

  image_size: tuple[int, ...] | None = entries.option(
    None,
    'Height and width to which images are resized, such as 64,64',
    option_check.POSITIVE,
    by_default='the one size that all images have',
  )
  image_channels: int = entries.option(
    3,
    'Channels of an image: 3 for colours, 1 for grey',
    option_check.Check(lambda value: value in (1, 3), '1 or 3'),
  )


def _check(config: Any) -> Iterator[str]:
  if config.data_dir is None:
    yield f'--task={_NAME} needs --data_dir, the folder with CLIENT/CLASS/image.png.'
  if config.image_size is not None and len(config.image_size) != 2:
    sizes = ','.join(map(str, config.image_size))
    yield f'--image_size is {sizes}, expected height and width such as 64,64.'


def _look_at_files(options: Options, data_dir: str | None) -> None:
  from tff_lg.data import first_bytes, image_tree  # They import NumPy.

  del options
  if data_dir is not None:
    first_bytes.check_files(data_dir, {})
    image_tree.list_images(data_dir)


def _partition(config: Any) -> str:
  """Returns `natural` where folders say whose each image is."""
  from tff_lg.data import image_tree

  is_natural = config.data_dir is not None and image_tree.has_clients(config.data_dir)
  return 'natural' if is_natural else task.DEFAULT_PARTITION


def _load(options: Options, setting: task.Setting) -> data.Source:
  size = options.image_size
  return data.load_images(
    str(setting.data_dir),
    size=None if size is None else (size[0], size[1]),
    channels=options.image_channels,
    seed=setting.seed,
  )


task.register(
  task.TaskEntry(
    name=_NAME,
    label='your own images, in folders by client and class',
    options=Options,
    network='lenet',
    load_source=_load,
    look_at_files=_look_at_files,
    data_dir='a folder with CLIENT/CLASS/image.png or CLASS/image.png, or with both as train and '
    'test,',
    partition=_partition,
    partition_note=f'natural (with folders of clients, else {task.DEFAULT_PARTITION})',
    is_own_data=True,
    contradictions=_check,
  )
)
