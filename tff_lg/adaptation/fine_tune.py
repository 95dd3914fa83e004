"""Fine-tuning: all weights continue training. Yu et al. 2020, section 4 (FT)."""

from collections.abc import Mapping
from typing import Any

from tff_lg.adaptation.technique import Adaptation, TechniqueEntry, register


def fine_tune() -> Adaptation:
  """Trains every layer on the client's examples by the model's own loss.

  Returns:
    The adaptation.

  Yu et al. 2020, Salvaging Federated Learning by Local Adaptation, section 4.
  """
  return Adaptation()


def _build(options: Any, setting: Mapping[str, Any]) -> Adaptation:
  del options, setting
  return fine_tune()


register(
  TechniqueEntry(
    name='fine_tune',
    label='Fine-tuned',
    minimises="the model's own loss, by all weights",
    build=_build,
  )
)
