"""The trials of a sweep: every combination of the axes' values, with every seed."""

import dataclasses
import hashlib
import itertools
import re
from collections.abc import Sequence

# A file system takes names of 255 bytes; a trial's gets `.log` behind it.
_MAX_NAME = 200


class SweepError(ValueError):
  """A sweep that cannot be; one sentence that names the flag or the file."""


@dataclasses.dataclass(frozen=True)
class Axis:
  """A flag of the trials and the values it takes.

  Attributes:
    name: of the flag.
    values: as text, in the order given.
  """

  name: str
  values: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Trial:
  """One run of a sweep.

  Attributes:
    name: readable, and the name of its folder: `shuffled_share=0.2__model=cgau__seed=3`.
    values: (name, value) of each axis, in the order of the axes.
    seed: its seed.
  """

  name: str
  values: tuple[tuple[str, str], ...]
  seed: int

  @property
  def arguments(self) -> tuple[str, ...]:
    """Its flags, as a command line has them."""
    return (*(f'--{name}={value}' for name, value in self.values), f'--seed={self.seed}')


@dataclasses.dataclass(frozen=True)
class Layout:
  """Which axis of the grid is which in the figures.

  Attributes:
    x_axis: name of the axis along x.
    series: names of the other axes; a line for each combination of their values.
  """

  x_axis: str
  series: tuple[str, ...]


def parse_axis(text: str) -> Axis:
  """Reads an axis.

  Args:
    text: `name=value,value`; with a semicolon anywhere, values are between semicolons
      and may have commas: `global_layers=output;hidden_3,output`.

  Returns:
    The axis.

  Raises:
    SweepError: no name, no value, an empty value or one that comes twice.
  """
  name, equals, values = text.strip().partition('=')
  name = name.strip().removeprefix('--')
  if not name or not equals:
    raise SweepError(f'--grid={text} is not an axis, expected --grid=name=value,value.')
  if name == 'seed':
    raise SweepError(f'--grid={text} is an axis of seeds: give them by --seeds.')
  found = tuple(value.strip() for value in values.split(';' if ';' in values else ','))
  if not all(found):
    raise SweepError(f'--grid={text} has an empty value, expected --grid=name=value,value.')
  _refuse_repeated(found, f'--grid={text}')
  return Axis(name, found)


def check_common(arguments: Sequence[str], flag: str = 'seeds') -> None:
  """Refuses a seed among the flags of all trials, which each have their own.

  Args:
    arguments: flags on a command line.
    flag: that is for seeds.

  Raises:
    SweepError: there is one.
  """
  for argument in arguments:
    if argument.lstrip('-').partition('=')[0] == 'seed':
      raise SweepError(
        f'{argument} is given for all trials, but each has a seed of its own: use --{flag}.'
      )


def parse_seeds(text: str) -> tuple[int, ...]:
  """Reads seeds, such as `0-11` or `0,3,8-9`, both ends included.

  Raises:
    SweepError: something else, an empty range, or a seed that comes twice.
  """
  seeds: list[int] = []
  for part in text.split(','):
    match = re.fullmatch(r'\s*(\d+)\s*(?:-\s*(\d+)\s*)?', part)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if last < first:
      raise SweepError(f'--seeds={text} has the part {part!r}, expected seeds such as 0-11 or 0,3.')
    seeds.extend(range(first, last + 1))
  _refuse_repeated(seeds, f'--seeds={text}')
  return tuple(seeds)


def build_trials(
  axes: Sequence[Axis], seeds: Sequence[int], *, needs_axis: bool = True
) -> tuple[Trial, ...]:
  """Makes the trials; all of a seed before the next, so that a part of a sweep compares fairly.

  Args:
    axes: of the grid.
    seeds: of each point.
    needs_axis: whether seeds alone are not enough.

  Raises:
    SweepError: no axis, an axis that comes twice, or two trials of one name.
  """
  if needs_axis and not axes:
    raise SweepError('--grid is missing: name a flag and its values, --grid=name=value,value.')
  _refuse_repeated([axis.name for axis in axes], '--grid')
  trials = []
  for seed in seeds:
    for values in itertools.product(*(axis.values for axis in axes)):
      pairs = tuple((axis.name, value) for axis, value in zip(axes, values, strict=True))
      trials.append(Trial(_trial_name(pairs, seed), pairs, seed))
  _refuse_repeated([trial.name for trial in trials], '--grid, as names of folders,')
  return tuple(trials)


def choose_layout(
  axes: Sequence[Axis], x_axis: str | None, series: Sequence[str], *, heat_map: bool = False
) -> Layout:
  """Decides what the figures show along x and as lines.

  Args:
    axes: of the grid.
    x_axis: the axis along x; by default the first with several numbers as values, or the
      first with several values.
    series: the other axes, in the order in which lines and panels name them; all that have
      several values by default.
    heat_map: whether a heat map is drawn, too.

  Returns:
    The layout; axes of one value are left out of it.

  Raises:
    SweepError: an axis is unknown, or the same for both. Or one is left out, and the figure
      would average over it without saying so. Or a heat map has one axis only.
  """
  names = [axis.name for axis in axes]
  for flag, chosen in (('x_axis', [x_axis] if x_axis else []), ('series', series)):
    for name in chosen:
      if name not in names:
        raise SweepError(f'--{flag} is {name}, expected an axis of the grid: {", ".join(names)}.')
  several = [axis for axis in axes if len(axis.values) > 1]
  candidates = [axis for axis in several if axis.name not in series] or list(axes)
  if not x_axis:
    numeric = (axis.name for axis in candidates if all(map(_is_number, axis.values)))
    x_axis = next(numeric, candidates[0].name)
  others = [axis.name for axis in several if axis.name != x_axis]
  if x_axis in series:
    raise SweepError(f'--series has {x_axis}, which is the --x_axis.')
  if series and (left_out := [name for name in others if name not in series]):
    raise SweepError(
      f'--series leaves out {", ".join(left_out)}: the figure would average over it.'
    )
  layout = Layout(x_axis, tuple(series) or tuple(others))
  if heat_map and not layout.series:
    raise SweepError(f'--heat_map needs two axes, but --grid has only {x_axis}.')
  return layout


def _trial_name(values: Sequence[tuple[str, str]], seed: int) -> str:
  if not values:
    return f'seed={seed}'
  parts = '__'.join(f'{name}={value}' for name, value in values)
  name = re.sub(r'[^\w.,=+-]', '-', parts)
  if len(name) > _MAX_NAME:
    name = f'{name[:_MAX_NAME]}-{hashlib.sha256(parts.encode()).hexdigest()[:8]}'
  return f'{name}__seed={seed}'


def _is_number(text: str) -> bool:
  try:
    float(text)
  except ValueError:
    return False
  return True


def _refuse_repeated(items: Sequence[object], where: str) -> None:
  for i, item in enumerate(items):
    if item in items[:i]:
      raise SweepError(f'{where} has {item} twice, expected each once.')
