"""Local learning: every weight is local, nothing travels. The baseline of every run."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from tff_lg import entries, learning
from tff_lg.learning.methods import method, parts, registry

if TYPE_CHECKING:
  from tff_lg import models

# The baseline of every run, which other rooms look for.
NAME = 'local_only'


def _build(
  model: models.LocalGlobalModel,
  settings: learning.ProcessSettings,
  options: entries.NoOptions,
) -> learning.LocalGlobalProcess:
  """Builds local training: each client trains a model of its own from the initial weights.

  The settings' aggregator is not used, as there is nothing to aggregate.
  """
  from tff_lg.compatibility import tff  # It takes seconds to import.

  del options
  return learning.build_local_global_process(
    model.with_global_layers(()),
    dataclasses.replace(settings, aggregator=tff.aggregators.MeanFactory(no_nan_division=True)),
  )


registry.register(
  method.Method(
    name=NAME,
    label='Local only',
    colour='vermillion',
    dashes=(0, (5, 2)),
    sent='nothing',
    kept='everything',
    source="the baseline of every run: each client's own best model, trained alone "
    '([PROTOCOL.md](../PROTOCOL.md#the-opponent))',
    build=_build,
    parts=parts.SPLIT,
    sends_updates=False,
    keeps_layers=True,
    has_warm_start=False,
  )
)
