"""Methods: each is one entry with its options, traits and builder.

Entries are light: a module of a method imports TensorFlow only when its process is built.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries, metric_names
from tff_lg.learning.methods.parts import SPLIT, Parts

if TYPE_CHECKING:
  from tff_lg import learning, models

# Names of colours that series of figures may have, see `tff_lg.analysis.style`.
COLOURS = ('ink', 'muted', 'blue', 'vermillion', 'green', 'purple', 'olive')


@attrs.frozen(kw_only=True)
class Method(entries.Entry):
  """A method; see `tff_lg.learning.methods.register`.

  Its contradictions are asked for where it is the method or a baseline.

  Attributes:
    colour: of its marks in figures, one of `COLOURS`.
    dashes: of its lines in figures, as Matplotlib takes them.
    sent: which weights are global, for the table of methods.
    kept: which weights are local, for the table of methods.
    source: its paper, in Markdown, for the table of methods.
    build: (model, settings, options) -> the process; raises ValueError for what it cannot build.
    parts: how its global and local weights behave.
    fits_batch_norm: whether what it trains and averages are networks, which have moving statistics
      of batch normalisation, and no mixtures of them.
    needs_mean: whether the server needs means of what clients send, and no other aggregate.
    sends_updates: whether clients send anything; else there is nothing to aggregate or attack.
    keeps_layers: whether layers of the network may stay with their client.
    has_warm_start: whether rounds of FedAvg before its own make sense.
    makes_steps: whether clients make steps on batches of theirs.
    counted_as: its name where summaries count rounds, if that is another one.
  """

  colour: str = attrs.field(validator=attrs.validators.in_(COLOURS))
  dashes: str | tuple
  sent: str
  kept: str
  source: str
  build: Callable[
    [models.LocalGlobalModel, learning.ProcessSettings, Any], learning.LocalGlobalProcess
  ]
  parts: Parts
  fits_batch_norm: bool = True
  needs_mean: bool = False
  sends_updates: bool = True
  keeps_layers: bool = False
  has_warm_start: bool = True
  makes_steps: bool = True
  counted_as: str | None = None

  @property
  def rounds_entry(self) -> str:
    """The entry of summaries that says how many rounds it ran."""
    return metric_names.rounds(self.counted_as or self.name)

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
    if model.statistics and not self.fits_batch_norm:
      raise ValueError(
        f'method {self.name} does not fit batch normalisation, but the network has '
        f'{", ".join(model.batch_norm_layers)}: expected group normalisation, or another method.'
      )
    settings = dataclasses.replace(settings, parts=self.parts)
    process = self.build(model, settings, self.options(**options))
    self._check_parts(process.model)
    return process

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
