"""The final metrics of a finished run of any pipeline, by name."""

import dataclasses
import math
import os
from collections.abc import Mapping

from tff_lg import file_names
from tff_lg.analysis import readers


@dataclasses.dataclass(frozen=True)
class FinalMetrics:
  """The final metrics of a run of any pipeline.

  Attributes:
    path: the run folder, as it was given.
    summary: final metrics by name, and a few texts; NaN where one is not defined.
  """

  path: str
  summary: Mapping[str, float | str]

  @classmethod
  def load(cls, path: str) -> 'FinalMetrics':
    """Reads the `summary.json` of a run folder.

    Raises:
      readers.RunFolderError: it is missing or damaged; one sentence naming the file.
    """
    return cls(path, readers.read_flat_object(os.path.join(path, file_names.SUMMARY)))

  def value(self, name: str) -> float:
    """Returns a final metric of summary.json, NaN if the run has no number of that name."""
    value = self.summary.get(name, math.nan)
    return math.nan if isinstance(value, str) else value
