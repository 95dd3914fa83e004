"""The learning rate that a run has chosen on validation data, as its folder keeps it."""

import os
from typing import Any, NamedTuple

from tff_lg import checksums, file_names, metric_names, strict_json


class TunedRate(NamedTuple):
  """A learning rate that was chosen.

  Attributes:
    learning_rate: the best.
    tried: the mean validation metric over clients after a run with each rate, by rate; -inf for
      one that diverged.
  """

  learning_rate: float
  tried: dict[float, float]

  def changes(self) -> dict[str, Any]:
    """Returns the options of a run with this rate, which tunes no more, by name."""
    return changes(self.learning_rate)

  def summary(self) -> dict[str, float | str]:
    """Returns entries of the run's summary."""
    rates = ', '.join(f'{rate:.4g}' for rate in self.tried)
    return {metric_names.TUNED_LEARNING_RATE: self.learning_rate, metric_names.TUNED_OUT_OF: rates}


def changes(rate: float) -> dict[str, Any]:
  """Returns the options of a run with a rate, which chooses none, by name."""
  return {'client_learning_rate': rate, 'tune': 'none', 'tuned_learning_rates': None}


def load_tuned_rate(run_dir: str) -> TunedRate | None:
  """Loads the rate that a run has chosen; None for a run that chose none.

  Raises:
    ValueError: the file is damaged; one sentence.
  """
  path = os.path.join(run_dir, file_names.TUNING)
  if not os.path.exists(path):
    return None
  checksums.check(path)
  return strict_json.load(
    path,
    lambda found: TunedRate(found['learning_rate'], dict(map(tuple, found['tried']))),
    'delete it to choose the rate again',
  )
