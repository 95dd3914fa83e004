"""The methods by name."""

from collections.abc import Mapping

from tff_lg.learning.methods.method import Method

_METHODS: dict[str, Method] = {}

# What `--method` takes, with everything that is known about it.
METHODS: Mapping[str, Method] = _METHODS


def register(method: Method) -> Method:
  """Adds a method, from this package or from outside.

  `tff_lg.config` makes flags of the options of methods that are registered when it is imported;
  `--import=my_module` imports a module before that.

  Args:
    method: its name, and those of its options, are new.

  Returns:
    The method.

  Raises:
    ValueError: a name is taken.
  """
  options = {option.name: name for name, each in METHODS.items() for option in each.list_options()}
  if method.name in METHODS:
    raise ValueError(f'method {method.name} is registered already, expected a new name.')
  for option in method.list_options():
    if option.name in options:
      raise ValueError(
        f'method {method.name} has the option {option.name}, which is one of '
        f'{options[option.name]}, expected a new name.'
      )
  _METHODS[method.name] = method
  return method
