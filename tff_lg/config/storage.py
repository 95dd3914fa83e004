"""Options of checkpoints and of the states of clients between rounds."""

import dataclasses

from tff_lg.client_states import CLIENT_STORES, MEMORY
from tff_lg.config import task
from tff_lg.config.option import option


@dataclasses.dataclass(frozen=True)
class StorageOptions:
  """Checkpoints and the states of clients."""

  checkpoint_every: int = option(10, 'Rounds between checkpoints.')
  client_store: str = option(
    MEMORY,
    'Where the states of clients are kept between rounds: local weights, and optimisers with '
    '--keep_client_optimizer. '
    f'{task.say_labels(CLIENT_STORES)} The results are the same.',
    tuple(CLIENT_STORES),
  )
