"""TFF's names where its repository keeps them after 0.87: many are in `federated_language` there.

TFF's repository has moved the language (types, intrinsics, building blocks, contexts, programs) to
a package of its own, in no release so far. With such a TFF, `join` gives one module with all names
of both, at the paths that they have in 0.87. So the project's code needs no other names.
"""

import importlib
import types
from typing import Any

LANGUAGE = 'federated_language'

# By the path in 0.87, the path after it, where a name has moved to another one.
_RENAMED = {
  'test.set_no_default_context': 'framework.set_no_default_context',
  'types.tensorflow_to_type': 'tensorflow.to_type',
  'types.type_to_tf_tensor_specs': 'tensorflow.type_to_tf_tensor_specs',
}


class JoinedModule(types.ModuleType):
  """The names of several modules: the first one that has a name gives it.

  Where two or more have a module of one name, it is joined as well.
  """

  def __init__(self, name: str, modules: tuple[Any, ...]) -> None:
    """Initialises the module.

    Args:
      name: its own, for messages.
      modules: that have the names, the first to be asked first.
    """
    super().__init__(name)
    self._modules = modules

  def __getattr__(self, name: str) -> Any:
    found = [getattr(module, name) for module in self._modules if hasattr(module, name)]
    if not found or name.startswith('__'):
      raise AttributeError(f'{self.__name__} has no {name}: none of {list(self._modules)} has it.')
    value = found[0]
    if len(found) > 1 and all(isinstance(each, types.ModuleType) for each in found):
      value = JoinedModule(f'{self.__name__}.{name}', tuple(found))
    setattr(self, name, value)
    return value


def has_moved(tff: types.ModuleType) -> bool:
  """Returns whether a TFF leaves its language to `federated_language`."""
  return not hasattr(tff, 'TensorType')


def join(tff: types.ModuleType) -> types.ModuleType:
  """Returns TFF with all names that it has in 0.87: itself, where they have not moved."""
  if not has_moved(tff):
    return tff
  language = importlib.import_module(LANGUAGE)
  joined = JoinedModule(tff.__name__, (tff, language))
  # What `tff.types` had is at the top of the language.
  namespaces = {'types': (language, *_parts(tff, 'types')), 'test': _parts(tff, 'test')}
  for name, modules in namespaces.items():
    setattr(joined, name, JoinedModule(f'{tff.__name__}.{name}', modules))
  for before, after in _RENAMED.items():
    namespace, name = before.split('.')
    setattr(getattr(joined, namespace), name, _resolve(joined, after))
  return joined


def _parts(module: types.ModuleType, name: str) -> tuple[Any, ...]:
  return (getattr(module, name),) if hasattr(module, name) else ()


def _resolve(module: Any, path: str) -> Any:
  for name in path.split('.'):
    module = getattr(module, name)
  return module
