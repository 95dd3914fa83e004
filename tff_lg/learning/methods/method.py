"""What a method is: one entry that says all there is to know about it.

Entries are light: a module of a method imports TensorFlow only when its process is built.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg.learning.methods.parts import SPLIT, Parts
from tff_lg.option_check import Check

if TYPE_CHECKING:
  from tff_lg import learning, models

# Names of colours that series of figures may have, see `tff_lg.analysis.style`.
COLOURS = ('ink', 'muted', 'blue', 'vermillion', 'green', 'purple', 'olive')


def option(
  default: Any,
  help_text: str,
  *,
  check: Check | None = None,
  choices: tuple[str, ...] | None = None,
  by_default: str = '',
  more: str = '',
) -> Any:
  """Declares an option of a method: a field of its options, and a flag of that name.

  Args:
    default: its value if it is not given.
    help_text: the beginning of the flag's help, without the method and the full stop.
    check: what is expected of its value, or of each in a tuple; None is never checked.
    choices: the values that it may have, if they are a few names.
    by_default: what `default` means, where that is not plain from it.
    more: sentences after the default.

  Returns:
    The field of an `attrs.frozen` class.
  """
  metadata = {'help': help_text, 'choices': choices, 'by_default': by_default, 'more': more}
  return attrs.field(default=default, validator=check, metadata=metadata)


@attrs.frozen
class NoOptions:
  """The options of a method that has none."""


class Option(typing.NamedTuple):
  """An option as a flag shows it.

  Attributes:
    name: of the flag.
    type: of its value.
    default: its value if it is not given.
    help: the flag's help.
    choices: the values that it may have, if they are a few names.
  """

  name: str
  type: Any
  default: Any
  help: str
  choices: tuple[str, ...] | None


def _nothing_to_say(config: Any) -> Iterable[str]:
  del config
  return ()


@attrs.frozen(kw_only=True)
class Method:
  """A method; see `tff_lg.learning.methods.register`.

  Attributes:
    name: what `--method` takes.
    label: what reports call it.
    colour: of its marks in figures, one of `COLOURS`.
    dashes: of its lines in figures, as Matplotlib takes them.
    sent: which weights are global, for the table of methods.
    kept: which weights are local, for the table of methods.
    source: its paper, in Markdown, for the table of methods.
    build: (model, settings, options) -> the process; raises ValueError for what it cannot build.
    options: an `attrs.frozen` class of fields made by `option`.
    parts: how its global and local weights behave.
    sends_updates: whether clients send anything; else there is nothing to aggregate or attack.
    keeps_layers: whether layers of the network may stay with their client.
    has_warm_start: whether rounds of FedAvg before its own make sense.
    makes_steps: whether clients make steps on batches of theirs.
    contradictions: (config) -> sentences on what the method does not fit in a `TrainConfig`, as
      given, in which it is the method or a baseline.
  """

  name: str
  label: str
  colour: str = attrs.field(validator=attrs.validators.in_(COLOURS))
  dashes: str | tuple
  sent: str
  kept: str
  source: str
  build: Callable[
    [models.LocalGlobalModel, learning.ProcessSettings, Any], learning.LocalGlobalProcess
  ]
  parts: Parts
  options: type = NoOptions
  sends_updates: bool = True
  keeps_layers: bool = False
  has_warm_start: bool = True
  makes_steps: bool = True
  contradictions: Callable[[Any], Iterable[str]] = _nothing_to_say

  def build_process(
    self, model: models.LocalGlobalModel, settings: learning.ProcessSettings, **options: Any
  ) -> learning.LocalGlobalProcess:
    """Builds the method's process.

    Args:
      model: whatever its split is, the method chooses its own.
      settings: of which the method changes a few.
      **options: of the method, by name; the others have their defaults.

    Returns:
      The process.

    Raises:
      ValueError: an option cannot be, or does not fit the model or the settings.
    """
    settings = dataclasses.replace(settings, parts=self.parts)
    process = self.build(model, settings, self.options(**options))
    self._check_parts(process.model)
    return process

  def list_options(self) -> tuple[Option, ...]:
    """Returns the method's options as flags show them."""
    types = typing.get_type_hints(self.options)
    result = []
    for field in attrs.fields(self.options):
      text, by_default = field.metadata['help'], field.metadata['by_default']
      if not by_default and field.default is not None:
        is_number = isinstance(field.default, float)
        by_default = f'{field.default:g}' if is_number else str(field.default)
      text += f' (--method={self.name})' + (f'; {by_default} by default.' if by_default else '.')
      text = ' '.join(filter(None, (text, field.metadata['more'])))
      choices = field.metadata['choices']
      result.append(Option(field.name, types[field.name], field.default, text, choices))
    return tuple(result)

  def _check_parts(self, model: models.LocalGlobalModel) -> None:
    """Refuses a server that keeps more than global weights of the network under `SPLIT`."""
    names = model.weight_names
    extra = set(names[len(model.network_weights(names)) :])
    global_names, local_names = model.split(names)
    unknown = [name for name in global_names if name in extra or name in local_names]
    if self.parts is SPLIT and unknown:
      raise ValueError(
        f'method {self.name}: the server keeps {", ".join(unknown)}, of which parts=SPLIT does not '
        'say what newcomers and later rounds begin with; expected Parts of its own.'
      )
