"""Early stopping: training ends once clients' validation data show no more progress."""

import math
from typing import NamedTuple

import numpy as np


class Progress(NamedTuple):
  """How far the models of a phase have come.

  Attributes:
    best_score: the best mean over clients of an evaluated round, greater is better.
    best_round: the first round that has it; before any evaluation the one that the phase began at.
    is_over: whether there has been no better one for long enough.
  """

  best_score: float = -math.inf
  best_round: int = 0
  is_over: bool = False

  def after(self, round_num: int, scores: np.ndarray, patience: int) -> 'Progress':
    """Takes an evaluated round into account.

    Args:
      round_num: of the round.
      scores: of the clients, greater is better; NaN for a client without data to judge by.
      patience: rounds without a better score after which training is over.

    Returns:
      The next progress.
    """
    score = float(np.nanmean(scores))
    if score > self.best_score:
      return Progress(score, round_num)
    return self._replace(is_over=round_num - self.best_round >= patience)
