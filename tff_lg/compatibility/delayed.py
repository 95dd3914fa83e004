"""Packages that TFF imports at its start and uses in few programs: imported when first used."""

import importlib
import importlib.util
import sys
import threading
import types
from typing import Any


class _DelayedModule(types.ModuleType):
  """A module that is imported when a name is first taken from it.

  `importlib.util.LazyLoader` would import it earlier, at the second import statement.
  """

  def __getattr__(self, name: str) -> Any:
    if name == '__warningregistry__':  # `unittest` asks all modules for it.
      raise AttributeError(f'module {self.__name__!r} has no attribute {name!r}')
    with _LOCK:
      if self.__dict__.get('_is_delayed'):
        sys.modules.pop(self.__name__, None)
        real = importlib.import_module(self.__name__)
        self.__dict__.update(real.__dict__, _is_delayed=False)
    try:
      return self.__dict__[name]
    except KeyError:
      return getattr(sys.modules[self.__name__], name)


# One for all: a module may import another while it is imported.
_LOCK = threading.RLock()


def delay(name: str) -> None:
  """Delays the import of a module to its first use; does nothing if it is imported or missing.

  Args:
    name: of the module, such as `tensorflow_probability`.
  """
  if name in sys.modules:
    return
  try:
    spec = importlib.util.find_spec(name)
  except ImportError:
    return
  if spec is None:
    return
  module = _DelayedModule(name)
  module.__dict__.update(
    __spec__=spec, __file__=spec.origin, __loader__=spec.loader, _is_delayed=True
  )
  sys.modules[name] = module
