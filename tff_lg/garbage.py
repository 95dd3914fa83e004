"""Python's garbage collector beside TensorFlow, whose modules are more than half a million objects.

The collector looks through all of them each time that a quarter more have come. It does so many
times while modules are imported, and again in a round.
"""

import functools
import gc

_USUAL = gc.get_threshold()
# New objects before the collector runs: more than TensorFlow Federated has when it is imported.
_RARE = (1_000_000, 50, 100)


def collect_rarely() -> None:
  """Lets the collector run rarely, until `set_aside` is called."""
  gc.set_threshold(*_RARE)


@functools.cache
def set_aside() -> None:
  """Lets the collector leave out all objects that there are, the modules above all.

  The first call in a process does so, the others nothing. Objects end as before when nothing refers
  to them; only those that refer to each other in a circle stay. The collector then runs as usual.
  """
  gc.freeze()
  if gc.get_threshold() == _RARE:
    gc.set_threshold(*_USUAL)
