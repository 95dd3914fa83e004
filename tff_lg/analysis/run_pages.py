"""The page of a run folder that another pipeline than `pipelines.train` wrote."""

import os
from collections.abc import Callable
from typing import NamedTuple

from tff_lg import file_names
from tff_lg.analysis import adaptation_report, new_device, readers


class RunPage(NamedTuple):
  """The page of one pipeline's run folders.

  Attributes:
    pipeline: that writes them.
    settings: names in hparams.json that only they have.
    write: (folder, `output=` page or None) -> path of the page.
    text: folder -> what the pipeline prints of it.
  """

  pipeline: str
  settings: frozenset[str]
  write: Callable[..., str]
  text: Callable[[str], str]


_PAGES = (
  RunPage(
    'adapt',
    frozenset({'adaptation', 'source'}),
    adaptation_report.write_adaptation_report,
    adaptation_report.adaptation_text,
  ),
  RunPage(
    'new_device',
    frozenset({'transform'}),
    new_device.write_new_device_report,
    new_device.new_device_text,
  ),
)


def find_page(run_dir: str) -> RunPage | None:
  """Returns the page of a run folder; None for a folder of `pipelines.train`, or without settings.

  Args:
    run_dir: the folder.

  Raises:
    RunFolderError: hparams.json is damaged.
  """
  path = os.path.join(run_dir, file_names.HPARAMS)
  if not os.path.exists(path):
    return None
  settings = readers.read_object(path).keys()
  return next((page for page in _PAGES if page.settings <= settings), None)
