"""Protocols: how models are chosen, and a few habits of the reference code."""

import dataclasses
from collections.abc import Mapping


@dataclasses.dataclass(frozen=True)
class Protocol:
  """How models are chosen and a few habits of the reference code.

  Attributes:
    choose_by: the clients' data on which the best round is chosen.
    validation_fraction: default of the flag.
    client_weighting: default of the flag.
    warm_start_from: weights after the last warm-start round, or of the best one.
    warm_start_learning_rate: of the warm start; None for the run's own.
    output_activation: on top of the logits that the loss takes.
    note: what the run's output says of it.
  """

  choose_by: str
  validation_fraction: float
  client_weighting: str
  warm_start_from: str
  warm_start_learning_rate: float | None
  output_activation: str | None
  note: str


PROTOCOLS: Mapping[str, Protocol] = {
  'validation': Protocol(
    choose_by='validation',
    validation_fraction=0.1,
    client_weighting='examples',
    warm_start_from='last',
    warm_start_learning_rate=None,
    output_activation=None,
    note='Models were chosen on validation data.',
  ),
  'reference': Protocol(
    choose_by='local_test',
    validation_fraction=0.0,
    client_weighting='uniform',
    warm_start_from='best',
    warm_start_learning_rate=0.1,
    output_activation='softmax',
    note='Models were CHOSEN ON TEST DATA, as by the reference code: test figures are optimistic.',
  ),
}
