"""The options of clients' own models: what they train, by what, and how they are chosen."""

import dataclasses

from tff_lg.config import optimization, own_models, selection


@dataclasses.dataclass(frozen=True)
class LocalLearningOptions(
  own_models.OwnModelOptions, optimization.TrainingOptions, selection.SelectionOptions
):
  """The choices of the models that clients train alone, each to its best."""
