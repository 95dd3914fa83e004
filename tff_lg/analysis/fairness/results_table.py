"""Results of several seeds as tables; the first has the form of the paper's."""

from collections.abc import Sequence

import pandas as pd

from tff_lg import metric_names
from tff_lg.analysis import formats, names, tables
from tff_lg.analysis.fairness import measures
from tff_lg.analysis.tables import Column

PARTITION_NAMES = {'iid': 'IID', 'non_iid': 'non-IID'}
_KEYS = ['partition', 'method', 'lambda']
# Figures by what tables call them.
COLUMNS = {
  'acc': metric_names.pooled(metric_names.local_test('accuracy')),
  'AUC': metric_names.mean(metric_names.local_test('auc')),
  'adv AUC': metric_names.mean(metric_names.local_test('adversary_auc')),
  'logistic': metric_names.mean(metric_names.local_test('probe_auc/logistic')),
  'boosting': metric_names.mean(metric_names.local_test('probe_auc/boosting')),
}
_OF_AN_ATTRIBUTE = {
  'adv AUC': metric_names.mean(metric_names.local_test('adversary_auc/{}')),
  'logistic': metric_names.mean(metric_names.local_test('probe_auc/logistic/{}')),
  'boosting': metric_names.mean(metric_names.local_test('probe_auc/boosting/{}')),
  'parity': metric_names.pooled(metric_names.local_test('demographic_parity_difference/{}')),
  'odds': metric_names.pooled(metric_names.local_test('equalized_odds_difference/{}')),
}
_NOTES = (
  "All in per cent, on each device's own test rows. acc: over all rows; AUC: mean over devices.",
  'adv AUC: of the adversary that trained along, mean over attributes; 50 is a guess. Without',
  '"+ adversary" it only listens, and the local layers learn nothing from it.',
  'logistic, boosting: AUC of probes fitted afterwards on the frozen representation.',
)
_PARITY_NOTE = (
  'parity, odds: demographic parity and equalised odds difference of predictions; 0 is parity.'
)


def over_seeds(results: pd.DataFrame) -> pd.DataFrame:
  """Returns means and standard deviations over seeds.

  Args:
    results: one row per run, with the columns partition, method, lambda, seed, and
      figures. Texts are left out.

  Returns:
    One row per partition, method and lambda, in the order of `results`. Two columns per figure,
    (name, `mean`) and (name, `std`); the latter is NaN for a single seed.
  """
  figures = results.set_index(_KEYS).drop(columns='seed').select_dtypes('number')
  return figures.groupby(level=_KEYS, sort=False).agg(['mean', 'std'])


def summary(results: pd.DataFrame) -> dict[str, dict[str, float | None]]:
  """Returns means and standard deviations for `summary.json`.

  Args:
    results: as `over_seeds` takes them.

  Returns:
    By `partition/method/lambda_N`, each figure's `FIGURE/mean` and `FIGURE/std`; None where
    it is not a number.
  """
  return {
    f'{partition}/{method}/lambda_{strength:g}': {
      f'{figure}/{statistic}': float(value) if pd.notna(value) else None
      for (figure, statistic), value in row.items()
    }
    for (partition, method, strength), row in over_seeds(results).iterrows()
  }


def methods_table(results: pd.DataFrame) -> tables.Table:
  """Returns one row per method and lambda, in columns as Table 4 of the paper has them, and probes.

  Args:
    results: as `over_seeds` takes them.

  Returns:
    Accuracy, AUC, adversary's AUC and probes' AUC of each partition; the share of the more
    frequent class is in a note.
  """
  statistics = over_seeds(results)
  partitions = list(dict.fromkeys(results['partition']))
  columns = (
    Column('', 'method'),
    *(Column(PARTITION_NAMES[partition], name) for partition in partitions for name in COLUMNS),
  )
  rows = [
    (
      _label(method, strength),
      *(
        _cell(statistics, (partition, method, strength), metric)
        for partition in partitions
        for metric in COLUMNS.values()
      ),
    )
    for method, strength in dict.fromkeys(zip(results['method'], results['lambda'], strict=True))
  ]
  own = [
    _own_networks(results, partition)
    for partition in partitions
    if names.LOCAL_ONLY in set(results['method'])
  ]
  majority = formats.percent(results[measures.MAJORITY].mean(), 1)
  note = f'Always predicting the more frequent class has an accuracy of {majority}.'
  return tables.Table(columns, tuple(rows), (*_NOTES, *own, *_diverged(results), note))


def attributes_table(results: pd.DataFrame, attributes: Sequence[str]) -> tables.Table:
  """Returns the leakage of each attribute, one row per partition, method and lambda.

  Args:
    results: as `over_seeds` takes them.
    attributes: names of the attributes.

  Returns:
    Adversary's and probes' AUC and both parity differences of each attribute.
  """
  statistics = over_seeds(results)
  columns = (
    Column('', 'method'),
    *(Column(attribute, name) for attribute in attributes for name in _OF_AN_ATTRIBUTE),
  )
  rows = [
    (
      f'{PARTITION_NAMES[partition]}: {_label(method, strength)}',
      *(
        _cell(statistics, (partition, method, strength), metric.format(attribute))
        for attribute in attributes
        for metric in _OF_AN_ATTRIBUTE.values()
      ),
    )
    for partition, method, strength in statistics.index
  ]
  return tables.Table(columns, tuple(rows), (_PARITY_NOTE,))


def _own_networks(results: pd.DataFrame, partition: str) -> str:
  """Returns how long devices' own networks have trained, and at which learning rates."""
  runs = results[(results['method'] == names.LOCAL_ONLY) & (results['partition'] == partition)]
  name = f'Local only, {PARTITION_NAMES[partition]}'
  epochs = runs.get(metric_names.OWN_EPOCHS, pd.Series(dtype=float)).dropna()
  if epochs.empty:
    return f'{name}: alone for as many epochs as the other methods.'
  tried = runs[metric_names.own_setting('network', 'learning_rate')]
  rates = ', '.join(f'{rate:g}' for rate in sorted(set(tried)))
  text = f'{name}: alone to its best, {epochs.median():g} epochs (median), learning rate {rates}.'
  improving = runs[metric_names.OWN_STILL_IMPROVING].sum()
  return f'{text} Own networks still improving at the end: {improving:g}.' if improving else text


def _diverged(results: pd.DataFrame) -> list[str]:
  """Returns which runs have no figures, and why."""
  if metric_names.DIVERGED not in results:
    return []
  return [
    f'{PARTITION_NAMES[run["partition"]]}: {_label(run["method"], run["lambda"])}, seed '
    f'{run["seed"]}, diverged and is not counted. {run[metric_names.DIVERGED]}'
    for _, run in results[results[metric_names.DIVERGED] != ''].iterrows()
  ]


def _label(method: str, strength: float) -> str:
  name = names.method_name(method)
  return f'{name} + adversary, lambda {strength:g}' if strength else name


def _cell(statistics: pd.DataFrame, key: tuple, metric: str) -> str:
  """Returns `83.7`, or `83.7 ± 0.3` for several seeds."""
  mean, std = (statistics.loc[key, (metric, statistic)] for statistic in ('mean', 'std'))
  text = formats.percent(mean, 1)
  return text if pd.isna(std) else f'{text} ± {formats.percent(std, 1)}'
