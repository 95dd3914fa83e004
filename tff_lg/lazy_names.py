"""Public names of a room that are imported when they are first used, as they import TensorFlow."""

import importlib
import sys
from collections.abc import Callable, Collection, Sequence
from typing import Any


def importer(package: str, names: Collection[str], modules: Sequence[str]) -> Callable[[str], Any]:
  """Builds a package's `__getattr__`.

  Args:
    package: its name.
    names: public ones; one that is a module's name is that module.
    modules: of the package, which have the other names; light ones first.

  Returns:
    The function; it raises AttributeError for other names.
  """

  def import_name(name: str) -> Any:
    if name in names and name in modules:
      return importlib.import_module(f'{package}.{name}')
    if name in names:
      for each in modules:
        module = importlib.import_module(f'{package}.{each}')
        if hasattr(module, name):
          setattr(sys.modules[package], name, getattr(module, name))
          return getattr(module, name)
    raise AttributeError(f'module {package} has no attribute {name}')

  return import_name
