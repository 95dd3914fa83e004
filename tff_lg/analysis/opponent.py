"""The opponent of a federated model: how each client's own model was trained."""

from collections.abc import Mapping
from typing import Any

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
  is_class = run.local_test == names.LOCAL_TEST
  sentences: tuple[str, ...] = () if own is None else (_own_sentence(own.summary, is_class),)
  if 'tuning/tried' in run.summary:
    sentences += (
      f'Learning rate of {names.method_name(run.method)}: '
      f'{run.value("tuning/client_learning_rate"):g}, chosen on validation data out of '
      f'{run.summary["tuning/tried"]}.',
    )
  return sentences


def _own_sentence(summary: Mapping[str, float | str], is_class: bool) -> str:
  def value(name: str) -> Any:
    return summary.get(f'{names.OWN_MODELS}{name}')

  epochs = value('epochs/median_over_clients')
  if value('budget') != 'best':
    length = '' if epochs is None else f', {formats.significant(epochs)} epochs (median)'
    improving = value('still_improving/num_clients')
    weak = f'; {improving:,} had fewer than 20 and were still improving' if improving else ''
    return (
      'Own models: trained only in the rounds in which their client was sampled '
      f'(--local_budget=cohort){length}{weak}.'
    )
  parts = []
  for kind, (name, key, label) in _KINDS.items():
    num_clients = value(f'{kind}/num_clients')
    if num_clients is None:
      continue
    if kind == 'linear' and not is_class:
      name = 'ridge regression'
    about = f'{label} {value(f"{kind}/{key}"):g} of {value(f"{kind}/{key}/tried")}'
    if kind == 'network':
      most = value('epochs/most')
      about = f'{formats.significant(epochs)} epochs (median) of at most {most:,}, {about}'
    clients = {0: 'no client', 1: '1 client'}.get(num_clients, f'{num_clients:,} clients')
    parts.append(f'{name} for {clients} ({about})')
  return (
    "Own models: each client's best on its validation data, trained alone until it no longer "
    f'improved: {"; ".join(parts)}.'
  )
