"""Options of optimisers and learning rates, of clients and of the server, made of their entries."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import attrs

from tff_lg import optimizers
from tff_lg.config.option import ConfigError, check_belongs, option
from tff_lg.option_check import OptionError

ROLES = ('client', 'server')

_WHOSE = {'client': "the clients'", 'server': "the server's"}
_Class = TypeVar('_Class')


def _kinds(role: str) -> Iterator[tuple[str, Mapping[str, type]]]:
  """What a role has: the name of the flag that chooses, and classes of options by its values."""
  yield f'{role}_optimizer', {n: entry.options for n, entry in optimizers.OPTIMIZERS.items()}
  yield f'{role}_schedule', optimizers.SCHEDULES


def _owners(classes: Mapping[str, type]) -> dict[str, dict[str, attrs.Attribute]]:
  """The options of classes: by name, the attribute of each class that has it."""
  owners: dict[str, dict[str, attrs.Attribute]] = {}
  for owner, options in classes.items():
    for attribute in attrs.fields(options):
      owners.setdefault(attribute.name, {})[owner] = attribute
  return owners


def _default(role: str, owner: str, attribute: attrs.Attribute) -> Any:
  entry = optimizers.OPTIMIZERS.get(owner)
  of_role = entry.defaults.get(role, {}) if entry else {}
  return of_role.get(attribute.name, attribute.default)


def _help(role: str, choice: str, owners: Mapping[str, attrs.Attribute]) -> str:
  """Says what an option is, whose it is, and its default."""
  values: dict[Any, list[str]] = {}
  for owner, attribute in owners.items():
    values.setdefault(_default(role, owner, attribute), []).append(owner)
  texts = [
    (f'{value:g} by default' if value is not attrs.NOTHING else 'no default')
    + f' with {_listed(of)}'
    for value, of in values.items()
  ]
  text = next(iter(owners.values())).metadata['help']
  return f'{text} (--{choice}): {", ".join(texts)}.'


def _listed(names: list[str]) -> str:
  return ' and '.join(filter(None, (', '.join(names[:-1]), names[-1])))


def _with_options(cls: type[_Class]) -> type[_Class]:
  """Makes a dataclass that has each option of each entry, for each role, as a field."""
  for role in ROLES:
    for choice, classes in _kinds(role):
      for name, owners in _owners(classes).items():
        kind: Any = next(iter(owners.values())).type
        cls.__annotations__[f'{role}_{name}'] = kind | None
        setattr(cls, f'{role}_{name}', option(None, _help(role, choice, owners)))
  return dataclasses.dataclass(frozen=True)(cls)


def _rate_help(role: str) -> str:
  by_rate: dict[float, list[str]] = {}
  for name, entry in optimizers.OPTIMIZERS.items():
    by_rate.setdefault(entry.learning_rate[role], []).append(name)
  defaults = ', '.join(f'{rate:g} by default with {_listed(of)}' for rate, of in by_rate.items())
  return f'Learning rate of {_WHOSE[role]} optimiser: {defaults}.'


@_with_options
class _EntryOptions:
  """Every option of every optimiser and schedule, such as `client_beta_1`, of both roles."""

  client_momentum: float | None
  server_momentum: float | None


@dataclasses.dataclass(frozen=True)
class OptimizationOptions(_EntryOptions):
  """Options of optimisers; None stands for the default of the optimiser or schedule."""

  client_optimizer: str = option(
    'sgd',
    "Optimiser of the clients, TFF's. Its state starts afresh in each round without "
    '--keep_client_optimizer.',
    tuple(optimizers.OPTIMIZERS),
  )
  client_learning_rate: float | None = option(None, _rate_help('client'))
  client_schedule: str = option(
    'inverse',
    "How the clients' learning rate changes by round, counted from 0 in the warm start and in the "
    'rounds of the method: inverse divides it by 1 + d * t, with d = 0 by default; cosine goes '
    'down with half a cosine over the rounds; step multiplies it by a factor every so many rounds.',
    tuple(optimizers.SCHEDULES),
  )
  keep_client_optimizer: bool = option(
    False, "Keep the client optimiser's state with the client instead of resetting it each round."
  )
  server_optimizer: str = option(
    'sgd',
    "Optimiser of the server, TFF's, for which the clients' mean update is a gradient. sgd with "
    'learning rate 1 sets the global weights to the mean of the clients; adam, yogi and adagrad '
    'make FedAdam, FedYogi and FedAdagrad (pipelines/configs has their flag files).',
    tuple(optimizers.OPTIMIZERS),
  )
  server_learning_rate: float | None = option(None, _rate_help('server'))
  server_schedule: str = option('inverse', 'The same of the server.', tuple(optimizers.SCHEDULES))


def learning_rate(config: Any, role: str) -> float:
  """Returns a role's learning rate, the optimiser's default if none is given."""
  given = getattr(config, f'{role}_learning_rate')
  return optimizers.OPTIMIZERS[_name(config, role)].learning_rate[role] if given is None else given


def optimizer(config: Any, role: str) -> Any:
  """Returns the options of a role's optimiser, whose `build` takes a learning rate."""
  entry = optimizers.OPTIMIZERS[_name(config, role)]
  return entry.options(**_values(config, role, _name(config, role), entry.options))


def schedule(config: Any, role: str) -> optimizers.Schedule:
  """Returns a role's schedule, whose `build` takes the first learning rate."""
  name = getattr(config, f'{role}_schedule')
  options = optimizers.SCHEDULES[name]
  return options(**_values(config, role, name, options))


def is_set(config: Any, role: str) -> bool:
  """Returns whether a role's optimiser, rate or schedule is another one than by default."""
  usual = OptimizationOptions()
  names = [field.name for field in dataclasses.fields(usual) if field.name.startswith(f'{role}_')]
  wanted = defaults(usual)
  return any(
    getattr(config, name) not in (getattr(usual, name), wanted.get(name)) for name in names
  )


def scales_mean(config: Any) -> bool:
  """Returns whether the server's learning rate is a factor of the clients' mean update."""
  return not optimizers.OPTIMIZERS[_name(config, 'server')].is_adaptive


def needs_num_rounds(config: Any) -> bool:
  """Returns whether learning rates depend on how many rounds there are in all."""
  return any(getattr(config, f'{role}_schedule') in optimizers.BY_NUM_ROUNDS for role in ROLES)


def defaults(config: Any) -> dict[str, Any]:
  """Returns what options that are None stand for, by name, where they apply."""
  result: dict[str, Any] = {}
  for role in ROLES:
    result[f'{role}_learning_rate'] = learning_rate(config, role)
    for choice, classes in _kinds(role):
      chosen = getattr(config, choice)
      values = _values(config, role, chosen, classes[chosen])
      result |= {f'{role}_{name}': value for name, value in values.items()}
  return result


def check(config: Any) -> None:
  """Refuses options that belong to another optimiser or schedule, are missing or out of range.

  Args:
    config: a `TrainConfig`, as the user gave it.

  Raises:
    ConfigError: the first of them.
  """
  for role in ROLES:
    for choice, classes in _kinds(role):
      chosen = getattr(config, choice)
      for name, owners in _owners(classes).items():
        check_belongs(config, (f'{role}_{name}',), choice, chosen, tuple(owners))
      values = _values(config, role, chosen, classes[chosen])
      missing = [name for name, value in values.items() if value is attrs.NOTHING]
      if missing:
        raise ConfigError(f'--{choice}={chosen} needs --{role}_{missing[0]}.')
      try:
        classes[chosen](**values)
      except OptionError as error:
        raise ConfigError(
          f'--{role}_{error.name} is {error.value}, expected {error.expected}.'
        ) from error


def _name(config: Any, role: str) -> str:
  return getattr(config, f'{role}_optimizer')


def _values(config: Any, role: str, chosen: str, options: type) -> dict[str, Any]:
  """The options of a class by name, as given or by default."""
  values = {}
  for attribute in attrs.fields(options):
    given = getattr(config, f'{role}_{attribute.name}')
    values[attribute.name] = _default(role, chosen, attribute) if given is None else given
  return values
