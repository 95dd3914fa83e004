"""All figures of a run, from what its devices' models say."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import numpy as np

from tff_lg import metric_names
from tff_lg.analysis.fairness import probes

# The accuracy of always predicting the more frequent class.
MAJORITY = f'{metric_names.LOCAL_ACCURACY}/majority'
# What a prediction counts as positive from, as the argmax of two classes does.
_THRESHOLD = 0.5


class Outputs(Protocol):
  """Outputs of a device's own model and adversary for n rows, as in `tff_lg.experiments.fair`."""

  @property
  def h(self) -> np.ndarray:
    """Returns representations, float [n, size]."""

  @property
  def probability(self) -> np.ndarray:
    """Returns float [n], of class 1."""

  @property
  def guesses(self) -> np.ndarray:
    """Returns float [n, attributes], the adversary's probability of each being 1."""

  @property
  def y(self) -> np.ndarray:
    """Returns int [n], 0 or 1."""

  @property
  def attributes(self) -> np.ndarray:
    """Returns int [n, attributes], 0 or 1."""


def measure_round(test: Sequence[Outputs], attributes: Sequence[str]) -> dict[str, float]:
  """Returns the figures of a round, on each client's own test rows.

  Args:
    test: of each device.
    attributes: their names, in the order of the columns.

  Returns:
    `local_test/accuracy/pooled`, over all devices' rows; `local_test/auc/mean_over_clients`;
    `local_test/adversary_auc/ATTRIBUTE/mean_over_clients` and, for the mean of all attributes,
    `local_test/adversary_auc/mean_over_clients`. A device with rows of one group alone, or whose
    model has diverged, is left out of a mean of AUCs; accuracy is then NaN.
  """
  predicted, y = _pooled(test, _predicted), _pooled(test, lambda rows: rows.y)
  accuracy = float(np.mean(predicted == y)) if _is_finite(test) else float('nan')
  values = {
    metric_names.pooled(metric_names.LOCAL_ACCURACY): accuracy,
    metric_names.mean(metric_names.local_test('auc')): _mean(
      probes.auc(d.y, d.probability) for d in test
    ),
  }
  adversary = [
    _mean(probes.auc(rows.attributes[:, column], rows.guesses[:, column]) for rows in test)
    for column in range(len(attributes))
  ]
  return values | _by_attribute('adversary_auc', attributes, adversary)


def measure(
  train: Sequence[Outputs], test: Sequence[Outputs], attributes: Sequence[str]
) -> dict[str, float]:
  """Returns the measures of a trained model.

  Args:
    train: of each device's training rows; probes are fitted on them.
    test: of each device's test rows; everything is measured on them.
    attributes: their names, in the order of the columns.

  Returns:
    Those of `measure_round`, and the following. Each device has its own probes, with
    `local_test/probe_auc/PROBE/ATTRIBUTE/mean_over_clients` and the mean over all attributes.
    `local_test/demographic_parity_difference/ATTRIBUTE/pooled` and `equalized_odds_difference`
    are over all devices' predictions, as a device has few rows of a group, by Fairlearn. They
    are NaN if a rate is over no rows or a device's model has diverged.
    `local_test/accuracy/majority` is that of always predicting the more frequent class.
  """
  values = measure_round(test, attributes)
  columns = range(len(attributes))
  for probe in probes.PROBES:
    found = [
      _mean(
        probes.probe_auc(probe, a.h, a.attributes[:, column], b.h, b.attributes[:, column])
        for a, b in zip(train, test, strict=True)
      )
      for column in columns
    ]
    values |= _by_attribute(f'probe_auc/{probe}', attributes, found)
  predicted, y = _pooled(test, _predicted), _pooled(test, lambda rows: rows.y)
  is_finite = _is_finite(test)
  for name, column in zip(attributes, columns, strict=True):
    group = _pooled(test, lambda rows: rows.attributes)[:, column]
    for rule, value in _parity(y, predicted, group).items():
      measure_name = metric_names.pooled(metric_names.local_test(f'{rule}_difference/{name}'))
      values[measure_name] = value if is_finite else float('nan')
  share = float(np.mean(y))
  return values | {MAJORITY: max(share, 1 - share)}


def _parity(y: np.ndarray, predicted: np.ndarray, group: np.ndarray) -> dict[str, float]:
  """Returns the differences between two groups, in [0, 1], by the rule that defines the groups.

  Agarwal et al. 2018, A reductions approach to fair classification, definitions 1 and 2.
  """
  from fairlearn import metrics  # It takes seconds to import.

  # Fairlearn takes the rate of no rows for 0, and a single group for parity.
  has_groups = len(np.unique(group)) == 2
  has_classes = has_groups and len(np.unique(2 * y + group)) == 4
  return {
    rule: difference(y, predicted, sensitive_features=group) if is_known else float('nan')
    for rule, difference, is_known in (
      ('demographic_parity', metrics.demographic_parity_difference, has_groups),
      ('equalized_odds', metrics.equalized_odds_difference, has_classes),
    )
  }


def _predicted(rows: Outputs) -> np.ndarray:
  return rows.probability > _THRESHOLD


def _is_finite(devices: Sequence[Outputs]) -> bool:
  """Returns whether no device's model has diverged."""
  return bool(np.isfinite(_pooled(devices, lambda rows: rows.probability)).all())


def _pooled(devices: Sequence[Outputs], of: Callable[[Outputs], np.ndarray]) -> np.ndarray:
  return np.concatenate([of(rows) for rows in devices])


def _mean(values: Iterable[float]) -> float:
  """Returns the mean of those that are numbers; NaN if none is."""
  finite = [value for value in values if np.isfinite(value)]
  return float(np.mean(finite)) if finite else float('nan')


def _by_attribute(
  name: str, attributes: Sequence[str], values: Sequence[float]
) -> dict[str, float]:
  """Returns means over clients, of each attribute and of all of them."""
  return {
    **{
      metric_names.mean(metric_names.local_test(f'{name}/{attribute}')): value
      for attribute, value in zip(attributes, values, strict=True)
    },
    metric_names.mean(metric_names.local_test(name)): float(np.mean(values)),
  }
