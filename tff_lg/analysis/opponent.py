"""The opponent of a federated model: how each client's own model was trained."""

from collections.abc import Mapping
from typing import Any

from tff_lg import metric_names
from tff_lg.analysis import formats, names
from tff_lg.analysis.run_folder import RunFolder

# Kinds of own models in the order of a sentence: their names and what is tuned.
_KINDS: Mapping[str, tuple[str, str, str]] = {
  'network': ("the run's network", 'learning_rate', 'learning rate'),
  'linear': ('logistic regression', 'C', 'C'),
  'boosting': ('gradient boosting', 'learning_rate', 'learning rate'),
}


def opponent_sentences(run: RunFolder) -> tuple[str, ...]:
  """Says how the locally trained models were made, and how the learning rate was chosen.

  Args:
    run: a run with the baseline `local_only`, or of that method.

  Returns:
    A sentence on the locally trained models, if there are any. A sentence on the learning rate of
    the run, if it was chosen on validation data.
  """
  own = run if run.method == names.LOCAL_ONLY else run.baselines.get(names.LOCAL_ONLY)
  is_class = run.local_test == metric_names.LOCAL_ACCURACY
  sentences: tuple[str, ...] = () if own is None else (_own_sentence(own.summary, is_class),)
  if metric_names.TUNED_OUT_OF in run.summary:
    sentences += (
      f'Learning rate of {names.method_name(run.method)}: '
      f'{run.value(metric_names.TUNED_LEARNING_RATE):g}, chosen on validation data out of '
      f'{run.summary[metric_names.TUNED_OUT_OF]}.',
    )
  return sentences


def _own_sentence(summary: Mapping[str, float | str], is_class: bool) -> str:
  epochs: Any = summary.get(metric_names.OWN_EPOCHS)
  if summary.get(metric_names.OWN_BUDGET) != 'best':
    length = '' if epochs is None else f', {formats.significant(epochs)} epochs (median)'
    improving = summary.get(metric_names.OWN_STILL_IMPROVING)
    weak = f'; {improving:,} with fewer than 20 still improved' if improving else ''
    return (
      'Own models: trained only in the rounds in which their client was sampled '
      f'(--local_budget=cohort){length}{weak}.'
    )
  parts = []
  for kind, (name, key, label) in _KINDS.items():
    num_clients: Any = summary.get(metric_names.num_own_models(kind))
    if num_clients is None:
      continue
    if kind == 'linear' and not is_class:
      name = 'ridge regression'
    setting = metric_names.own_setting(kind, key)
    about = f'{label} {summary[setting]:g} of {summary[metric_names.tried(setting)]}'
    if kind == 'network':
      most = summary.get(metric_names.OWN_MOST_EPOCHS)
      improving = summary.get(metric_names.OWN_STILL_IMPROVING)
      capped = f', after which {improving:,} still improved' if improving else ''
      about = f'{formats.significant(epochs)} epochs (median) of at most {most:,}{capped}, {about}'
    clients = {0: 'no client', 1: '1 client'}.get(num_clients, f'{num_clients:,} clients')
    parts.append(f'{name} for {clients} ({about})')
  return (
    "Own models: each client's best on its validation data, trained alone until it no longer "
    f'improved: {"; ".join(parts)}.'
  )
