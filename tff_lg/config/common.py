"""Options that all parts of a run know: its protocol and its seed."""

import dataclasses

from tff_lg.config import protocols
from tff_lg.config.option import option


@dataclasses.dataclass(frozen=True)
class CommonOptions:
  """The protocol and the seed."""

  protocol: str = option(
    'validation',
    "validation: choose models on validation data; reference: make the reference code's choices, "
    'among them to choose models on test data.',
    tuple(protocols.PROTOCOLS),
  )
  optimistic_choice_on_test_data: bool | None = option(
    None,
    "Choose models on the clients' test data instead of their validation data. All test scores "
    "are then too optimistic: use it only to repeat others' experiments. A run without it says "
    'what it would show. No by default, yes with --protocol=reference.',
  )
  seed: int = option(0, 'Seed of all randomness: partition, sampling, initialisation, shuffling.')

  @property
  def choices(self) -> protocols.Protocol:
    """The protocol's choices, with the data that choose models as the flag has them."""
    protocol, flag = protocols.PROTOCOLS[self.protocol], self.optimistic_choice_on_test_data
    return protocol if flag is None else dataclasses.replace(protocol, chooses_on_test_data=flag)

  @property
  def lack_of_validation(self) -> str:
    """Why no validation data choose, to end a sentence."""
    if self.protocol != 'validation':
      return f'--protocol={self.protocol} has none'
    return '--optimistic_choice_on_test_data replaces them'
