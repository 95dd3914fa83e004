"""Protocols: how models are chosen, and a few habits of the reference code."""

import dataclasses
from collections.abc import Mapping

from tff_lg import metric_names


@dataclasses.dataclass(frozen=True)
class Protocol:
  """How models are chosen and a few habits of the reference code.

  Attributes:
    chooses_on_test_data: whether clients' test data choose the best round; default of the flag.
    validation_fraction: default of the flag.
    client_weighting: default of the flag.
    start_from: the warm-start round whose weights the method starts from, last or best.
    warm_start_learning_rate: of the warm start; None for the run's own.
    output_activation: on top of the logits that the loss takes.
  """

  chooses_on_test_data: bool
  validation_fraction: float
  client_weighting: str
  start_from: str
  warm_start_learning_rate: float | None
  output_activation: str | None

  @property
  def choose_by(self) -> str:
    """The clients' data on which the best round is chosen."""
    return metric_names.LOCAL_TEST if self.chooses_on_test_data else metric_names.VALIDATION

  @property
  def note(self) -> str:
    """A sentence on these data for the run's output."""
    if not self.chooses_on_test_data:
      return 'Models were chosen on validation data.'
    return 'Models were CHOSEN ON TEST DATA, as by the reference code: test figures are optimistic.'


PROTOCOLS: Mapping[str, Protocol] = {
  'validation': Protocol(
    chooses_on_test_data=False,
    validation_fraction=0.1,
    client_weighting='examples',
    start_from='last',
    warm_start_learning_rate=None,
    output_activation=None,
  ),
  'reference': Protocol(
    chooses_on_test_data=True,
    validation_fraction=0.0,
    client_weighting='uniform',
    start_from='best',
    warm_start_learning_rate=0.1,
    output_activation='softmax',
  ),
}
