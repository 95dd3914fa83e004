"""Which of several trained models each client should use, and what that is worth to it."""

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from tff_lg import client_gains, confidence, metric_names, verdicts
from tff_lg import metrics as metrics_lib
from tff_lg.scoring import advice

# Prefix of the verdicts on the model that is best for all, against own models.
TAKING_PART = 'taking_part'


@dataclasses.dataclass(frozen=True, eq=False)
class Candidate:
  """A model for each client.

  Attributes:
    name: of its part of the run.
    validation: the metric on each client's validation data, float [num_clients].
    test: the same on its test data.
    num_bytes: sent for it, per client on average.
    epsilon: that it cost; None without a private aggregator.
    marks: of test examples by client, for verdicts; None without.
    scores: instead of marks, where models of several seeds are one candidate: by client, the metric
      of each test example, float [num_seeds, num_examples].
    is_reference: whether it is only compared with, and no client is to use it.
  """

  name: str
  validation: np.ndarray
  test: np.ndarray
  num_bytes: float = 0.0
  epsilon: float | None = None
  marks: pd.Series | None = None
  scores: Sequence[np.ndarray] | None = None
  is_reference: bool = False


def choose(
  clients: pd.DataFrame,
  candidates: Sequence[Candidate],
  metric: metrics_lib.Metric,
  false_discovery_rate: float = 0.05,
) -> tuple[pd.DataFrame, dict[str, Any]]:
  """Chooses a model for each client on validation data and measures its gain on test data.

  No choice depends on test data, so the gains are free of the choice's optimism. The gain over a
  client's own model has two parts. The first is the gain of taking part, with the model that is
  best for all clients on validation data. The second is the gain of choosing another model for
  this client.

  Args:
    clients: one row per honest client, with `client_id` and `num_train`, `num_validation`,
      `num_test`.
    candidates: models of these clients, their own ones first.
    metric: of the scores.
    false_discovery_rate: of verdicts on the models advised against own ones.

  Returns:
    The table and the summary. The table has `advice`, `own_test`, `advised_test`,
    `gain_of_taking_part`, `gain_of_choosing` and their sum `gain`. If both models have marks, it
    has the 95 % interval of `gain` on test examples, `low` to `high`, and the `verdict`. Under
    `taking_part/` it has the same three columns for the gain of taking part. It also has `bytes`,
    `epsilon` and the scores of all candidates.

  Raises:
    ValueError: no client has validation data.
  """
  table = clients[['client_id', 'num_train', 'num_validation', 'num_test']].reset_index(drop=True)
  sizes = table['num_validation'].to_numpy()
  if not sizes.any():
    raise ValueError('No client has a validation example to choose models by: give clients more.')
  usable = [candidate for candidate in candidates if not candidate.is_reference]
  chosen = advice.choose_models([each.validation for each in usable], sizes, metric)
  federated = usable[1:]
  # All clients' validation examples together.
  pooled = [metric.sign * _mean(each.validation, sizes) for each in federated]
  for_all = federated[int(np.argmax(pooled))]
  tests = np.stack([each.test for each in usable])
  own, advised = tests[0], tests[chosen, np.arange(len(table))]
  table[metric_names.ADVICE] = [usable[index].name for index in chosen]
  table['own_test'], table['advised_test'] = own, advised
  table['gain_of_taking_part'] = metric.sign * (for_all.test - own)
  table['gain_of_choosing'] = metric.sign * (advised - for_all.test)
  table['gain'] = metric.sign * (advised - own)
  table = table.join(_judge(table[metric_names.ADVICE], usable, metric, false_discovery_rate))
  everybody = pd.Series(for_all.name, table.index)
  of_all = _judge(everybody, usable, metric, false_discovery_rate)
  table = table.join(of_all.add_prefix(f'{TAKING_PART}/'))
  table['bytes'] = [usable[index].num_bytes for index in chosen]
  epsilons = [usable[index].epsilon for index in chosen]
  table['epsilon'] = pd.Series(epsilons, dtype='float64')
  for each in candidates:
    table[f'{each.name}/{metric_names.validation(metric.name)}'] = each.validation
    table[f'{each.name}/{metric_names.local_test(metric.name)}'] = each.test
  return table, _summarize(table, candidates, for_all.name, metric)


def _mean(values: np.ndarray, sizes: np.ndarray) -> float:
  known = sizes > 0
  return float(np.average(values[known], weights=sizes[known]))


def _judge(
  advised: pd.Series, usable: Sequence[Candidate], metric: metrics_lib.Metric, level: float
) -> pd.DataFrame:
  """Judges advised models against own ones, for the clients that have marks of both."""
  columns = ['low', 'high', 'verdict']
  if usable[0].scores is not None:
    return _judge_repeated(advised, usable, metric, level)[columns].reindex(advised.index)
  own = usable[0].marks
  ours = pd.Series(None, advised.index, dtype=object)
  for each in usable[1:]:
    if each.marks is not None:
      ours = ours.where(advised != each.name, each.marks.set_axis(advised.index))
  known = ours.notna()
  if own is None or not known.any():
    return pd.DataFrame({name: pd.Series(np.nan, advised.index, object) for name in columns})
  ours, other = ours[known], own.set_axis(advised.index)[known]
  if metric.counts_right:
    judged = verdicts.judge_marks(ours, other, level)
  else:
    judged = verdicts.judge_values(ours, other, level, more_is_better=metric.more_is_better)
  return judged[columns].reindex(advised.index)


def _judge_repeated(
  advised: pd.Series, usable: Sequence[Candidate], metric: metrics_lib.Metric, level: float
) -> pd.DataFrame:
  """Judges advised models of several seeds against own ones."""
  scores = {each.name: each.scores for each in usable[1:] if each.scores is not None}
  own = usable[0].scores or ()
  known = [number for number, name in enumerate(advised) if name in scores]
  judged = verdicts.judge_repeated(
    [scores[advised.iloc[number]][number] for number in known],
    [own[number] for number in known],
    level,
    is_accuracy=metric.counts_right,
    more_is_better=metric.more_is_better,
  )
  return judged.set_index(advised.index[known])


def _summarize(
  table: pd.DataFrame, candidates: Sequence[Candidate], for_all: str, metric: metrics_lib.Metric
) -> dict[str, Any]:
  summary: dict[str, Any] = {
    'num_clients': len(table),
    'metric': metric.name,
    'best_for_all': for_all,
  }
  for each in candidates:
    about = functools.partial(metric_names.of_model, each.name)
    test = metric_names.mean(metric_names.local_test(metric.name))
    summary[about('advised_clients')] = int((table[metric_names.ADVICE] == each.name).sum())
    summary[about(test)] = float(np.nanmean(each.test))
    summary[about('bytes_per_client')] = each.num_bytes
    summary[about('is_reference')] = each.is_reference
    if each.epsilon is not None:
      summary[about('epsilon')] = each.epsilon
  summary[metric_names.mean('advised')] = float(np.nanmean(table['advised_test']))
  for name in ('gain', 'gain_of_taking_part', 'gain_of_choosing'):
    gains = client_gains.client_gains(table[name], pd.Series(0.0, table.index))
    summary[metric_names.mean(name)] = float(gains.mean())
    if len(gains) > 1:
      mean, half = float(gains.mean()), float(confidence.half_width(gains))
      ends = mean - half, mean + half
      summary |= dict(zip(metric_names.interval(name), ends, strict=True))
    summary[metric_names.share_worse(name)] = client_gains.share_worse(gains)
  for verdict in verdicts.Verdict:
    for prefix in ('', f'{TAKING_PART}/'):
      found = table[f'{prefix}verdict'] == verdict.value
      summary[f'{prefix}{metric_names.with_verdict(verdict.value)}'] = int(found.sum())
  return summary
