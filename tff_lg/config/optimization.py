"""Options of optimisers and learning rates, of clients and of the server, made of their entries."""

import dataclasses
import functools
from typing import Any

import attrs

from tff_lg import optimizers
from tff_lg.config.entry_options import EntryOptions
from tff_lg.config.option import option
from tff_lg.entries import listed

ROLES = ('client', 'server')
CLIENT_WEIGHTINGS = ('examples', 'uniform', 'gradient_norm')

_WHOSE = {'client': "the clients'", 'server': "the server's"}


def _default(role: str, owner: str, field: attrs.Attribute) -> Any:
  return optimizers.OPTIMIZERS[owner].defaults.get(role, {}).get(field.name, field.default)


def _of_optimizer(role: str) -> EntryOptions:
  return EntryOptions(
    optimizers.OPTIMIZERS, f'{role}_optimizer', f'{role}_', functools.partial(_default, role)
  )


def _of_schedule(role: str) -> EntryOptions:
  return EntryOptions(optimizers.SCHEDULES, f'{role}_schedule', f'{role}_')


_ENTRY_OPTIONS = tuple(of(role) for role in ROLES for of in (_of_optimizer, _of_schedule))
_ClientOptimizer: Any
_ClientSchedule: Any
_ServerOptimizer: Any
_ServerSchedule: Any
_ClientOptimizer, _ClientSchedule, _ServerOptimizer, _ServerSchedule = (
  each.make_class() for each in _ENTRY_OPTIONS
)


def _rate_help(role: str) -> str:
  by_rate: dict[float, list[str]] = {}
  for name, entry in optimizers.OPTIMIZERS.items():
    by_rate.setdefault(entry.learning_rate[role], []).append(name)
  defaults = ', '.join(f'{rate:g} by default with {listed(of)}' for rate, of in by_rate.items())
  return f'Learning rate of {_WHOSE[role]} optimiser: {defaults}.'


@dataclasses.dataclass(frozen=True)
class OptimizationOptions(_ClientOptimizer, _ClientSchedule, _ServerOptimizer, _ServerSchedule):
  """Options of optimisers; None stands for the default of the optimiser or schedule."""

  client_optimizer: str = option(
    'sgd',
    'TFF optimiser of the clients. Its state is reset in each round without '
    '--keep_client_optimizer.',
    tuple(optimizers.OPTIMIZERS),
  )
  client_learning_rate: float | None = option(None, _rate_help('client'))
  client_schedule: str = option(
    'inverse',
    "How the clients' learning rate changes by round, counted from 0 in the warm start and in the "
    'rounds of the method. inverse divides it by 1 + d * t, with d = 0 by default; cosine lowers '
    'it along half a cosine over the rounds; step multiplies it by --client_step_factor every '
    '--client_step_rounds rounds.',
    tuple(optimizers.SCHEDULES),
  )
  keep_client_optimizer: bool = option(
    False, "Keep the client optimiser's state with the client instead of resetting it each round."
  )
  server_optimizer: str = option(
    'sgd',
    "TFF optimiser of the server. It treats the clients' mean update as a gradient. sgd with "
    'learning rate 1 sets the global weights to the mean of the clients; adam, yogi and adagrad '
    'make FedAdam, FedYogi and FedAdagrad (pipelines/configs has their flag files).',
    tuple(optimizers.OPTIMIZERS),
  )
  server_learning_rate: float | None = option(None, _rate_help('server'))
  server_schedule: str = option(
    'inverse',
    "How the server's learning rate changes by round; see --client_schedule.",
    tuple(optimizers.SCHEDULES),
  )


@dataclasses.dataclass(frozen=True)
class TrainingOptions(OptimizationOptions):
  """The work of a client in a round, and its weight; None stands for a default."""

  client_epochs: int | None = option(None, 'E: epochs of a client in a round; 1 by default.')
  client_steps: int | None = option(
    None, 'Largest number of SGD steps of a client in a round; no limit by default.'
  )
  batch_size: int | None = option(None, 'B: batch size of the clients; 10 by default.')
  client_weighting: str | None = option(
    None,
    'Weight of a client: examples by default, uniform with aggregators other than means.',
    CLIENT_WEIGHTINGS,
  )


def learning_rate(config: Any, role: str) -> float:
  """Returns a role's learning rate, the optimiser's default if none is given."""
  given = getattr(config, f'{role}_learning_rate')
  return optimizers.OPTIMIZERS[_name(config, role)].learning_rate[role] if given is None else given


def optimizer(config: Any, role: str) -> Any:
  """Returns the options of a role's optimiser, whose `build` takes a learning rate."""
  return _of_optimizer(role).build(config, _name(config, role))


def schedule(config: Any, role: str) -> optimizers.Schedule:
  """Returns a role's schedule, whose `build` takes the first learning rate."""
  return _of_schedule(role).build(config, getattr(config, f'{role}_schedule'))


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
  chosen = (getattr(config, f'{role}_schedule') for role in ROLES)
  return any(optimizers.SCHEDULES[name].needs_num_rounds for name in chosen)


def defaults(config: Any) -> dict[str, Any]:
  """Returns what options that are None stand for, by name, where they apply."""
  result: dict[str, Any] = {f'{role}_learning_rate': learning_rate(config, role) for role in ROLES}
  for each in _ENTRY_OPTIONS:
    result |= each.defaults((getattr(config, each.flag),))
  return result


def check(config: Any) -> None:
  """Refuses options that belong to another optimiser or schedule, are missing or out of range.

  Args:
    config: a `TrainConfig`, as the user gave it.

  Raises:
    ConfigError: the first of them.
  """
  for each in _ENTRY_OPTIONS:
    each.check(config, (getattr(config, each.flag),))


def check_names(config_class: type) -> None:
  """Refuses an option of an optimiser or a schedule that has the name of another of runs.

  Raises:
    ValueError: there is one.
  """
  for each in _ENTRY_OPTIONS:
    each.check_names(config_class)


def _name(config: Any, role: str) -> str:
  return getattr(config, f'{role}_optimizer')
