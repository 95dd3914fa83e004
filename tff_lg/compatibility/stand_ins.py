"""Modules that stand in for packages that TFF imports and that are not there."""

import abc
import importlib.abc
import importlib.machinery
import types
from collections.abc import Sequence
from typing import Any, NoReturn


class _StandInClass(abc.ABCMeta):
  """The type of every name in a stand-in: it can be inherited from and named in annotations."""

  def __getattr__(cls, name: str) -> type:
    if name.startswith('__'):
      raise AttributeError(name)
    return _build_class(f'{cls.__module__}.{cls.__name__}', name)

  def __call__(cls, *args: Any, **kwargs: Any) -> NoReturn:
    raise ImportError(
      f'{cls.__module__}.{cls.__name__} is used, but it is not available: '
      f'{_reason(cls.__module__)}.'
    )


class _StandInModule(types.ModuleType):
  """A module that has every name."""

  def __getattr__(self, name: str) -> type:
    if name.startswith('__'):
      raise AttributeError(name)
    value = _build_class(self.__name__, name)
    setattr(self, name, value)
    return value


class StandInFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
  """Finds a stand-in for some modules, and for all that is in them."""

  def __init__(self, reasons: dict[str, str]) -> None:
    """Initialises the finder.

    Args:
      reasons: why each module is not available, by its name.
    """
    _REASONS.update(reasons)
    self._names = tuple(reasons)

  def find_spec(
    self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
  ) -> importlib.machinery.ModuleSpec | None:
    """Returns the spec of a stand-in; None for a module that has none."""
    del path, target  # The name decides.
    if _root(fullname, self._names) is None:
      return None
    return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

  def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
    """Returns an empty stand-in."""
    return _StandInModule(spec.name)

  def exec_module(self, module: types.ModuleType) -> None:
    """Does nothing: a stand-in makes its names as they are asked for."""


class BarePackageFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
  """Finds packages without running their `__init__`, so that parts of them can be imported."""

  def __init__(self, names: Sequence[str]) -> None:
    """Initialises the finder.

    Args:
      names: of the packages.
    """
    self._names = tuple(names)

  def find_spec(
    self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
  ) -> importlib.machinery.ModuleSpec | None:
    """Returns the spec of a package's folder; None for what is not one of these packages."""
    del target
    if fullname not in self._names:
      return None
    found = importlib.machinery.PathFinder.find_spec(fullname, path)
    if found is None:
      return None
    spec = importlib.machinery.ModuleSpec(fullname, self, is_package=True)
    spec.submodule_search_locations = found.submodule_search_locations
    return spec

  def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
    """Returns None: the module is an ordinary one."""

  def exec_module(self, module: types.ModuleType) -> None:
    """Does nothing: that is what makes the package bare."""


_REASONS: dict[str, str] = {}


def _build_class(module: str, name: str) -> type:
  return _StandInClass(name, (), {'__module__': module})


def _root(fullname: str, names: Sequence[str]) -> str | None:
  return next((n for n in names if fullname == n or fullname.startswith(f'{n}.')), None)


def _reason(module: str) -> str:
  # A class that inherits from a stand-in is of a module that exists.
  root = _root(module, tuple(_REASONS))
  return _REASONS[root] if root else 'what it inherits from is not installed'
