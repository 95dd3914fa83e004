"""Local learning: every weight is local, nothing travels. The baseline of every run."""

import dataclasses

from tff_lg.compatibility import tff
from tff_lg.learning import process
from tff_lg.learning import settings as settings_lib
from tff_lg.learning.methods.method import Method, MethodOptions
from tff_lg.models import local_global


def local_only(options: MethodOptions) -> Method:
  """Each client trains a model of its own, from the model's initial weights.

  Args:
    options: none of them is used.

  Returns:
    The method. The settings' aggregator is not used, as there is nothing to aggregate.
  """
  del options

  def build(
    model: local_global.LocalGlobalModel, settings: settings_lib.ProcessSettings
  ) -> process.LocalGlobalProcess:
    return process.build_local_global_process(
      model.with_global_layers(()),
      dataclasses.replace(settings, aggregator=tff.aggregators.MeanFactory(no_nan_division=True)),
    )

  return build
