"""Validation data by setting and epoch of adaptation, by which a choice for all clients goes."""

from collections.abc import Mapping

import pandas as pd

from tff_lg import metric_names
from tff_lg.personalization import adapting


def build_curves(adapted: Mapping[str, adapting.Adapted], metric: str) -> pd.DataFrame:
  """Builds the table of means over validation data.

  Args:
    adapted: by adaptation.
    metric: that their curves are of.

  Returns:
    One row per adaptation (`model`), setting and evaluated `epoch`, 0 being the federated model.
    Options of a setting, such as `learning_rate`, have a column each, empty for the adaptations
    without them. `validation/METRIC`, the last column, is the mean over all validation examples of
    the clients that decide for all.
  """
  column = metric_names.validation(metric)
  rows = [
    {'model': name, **setting, 'epoch': int(epoch), column: float(value)}
    for name, result in adapted.items()
    for setting, of_setting in zip(result.settings, result.pooled, strict=True)
    for epoch, value in zip(result.evaluated_epochs, of_setting, strict=True)
  ]
  table = pd.DataFrame(rows)
  return table[[*table.columns.drop(['epoch', column]), 'epoch', column]]
