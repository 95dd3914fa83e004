"""Tables of an adaptation run: what each model is worth to the clients."""

import math
from collections.abc import Sequence

import pandas as pd

from tff_lg import metric_names
from tff_lg.analysis import formats, names, paired, tables
from tff_lg.analysis.adaptation_folder import AdaptationFolder
from tff_lg.analysis.client_comparison import describe_clients
from tff_lg.analysis.compared_runs import ComparedRuns
from tff_lg.analysis.tables import Column, Table

_SPREAD = ('mean ± std', 'median', 'worst tenth')
_CHANGE = ('mean', '95 % interval', 'worse (%)')
_GROUPS = {
  names.LOCAL_ONLY: 'over locally trained model',
  metric_names.FEDERATED: 'over federated model',
}
_NO_OWN = (
  'Gains over locally trained models are left out: the run that was adapted has no such model for '
  'these clients (--baselines=local_only; --own_models).'
)
_SPREAD_NOTE = (
  'Std: of the population of clients. Worst tenth: mean over the tenth of the clients, rounded up, '
  'that does worst.'
)
_BEST_NOTE = (
  'Best by validation: for each client, the federated or adapted model that is best on its '
  'validation data; ties go to the first.'
)
_WORSE_NOTE = 'Worse: share of the clients that do worse, by 1e-6 or more.'


def group_tables(run: AdaptationFolder, clients: pd.Series) -> tuple[Table, Table, Table]:
  """Returns all tables of some of the clients.

  Args:
    run: the run.
    clients: which, bool by client id.

  Returns:
    `accuracy_table`, with local test accuracy beside where the models are compared by
    another metric, `gains_table` and `techniques_table`.
  """
  compared = run.compare_models(run.metric, clients)
  by_metric = [compared]
  if run.metric != run.local_test:
    by_metric.append(run.compare_models(run.local_test, clients))
  accuracy = accuracy_table(by_metric)
  if run.is_malicious.any():
    note = f'{run.is_malicious.sum():,} malicious clients are left out everywhere.'
    accuracy = accuracy._replace(notes=(note, *accuracy.notes))
  return accuracy, gains_table(compared), techniques_table(run, clients)


def accuracy_table(by_metric: Sequence[ComparedRuns]) -> Table:
  """Returns a table of the models' accuracies, with the locally trained ones first.

  Args:
    by_metric: accuracies by model, as `AdaptationFolder.compare_models` gives them, of the
      same clients; the first decides which models have a row.

  Returns:
    One row per model: mean ± standard deviation over clients, median and worst tenth of each
    accuracy.
  """
  columns = (
    Column('', 'model'),
    *(Column(formats.metric_label(one.metric), name) for one in by_metric for name in _SPREAD),
  )
  compared = by_metric[0]
  models = [*([] if compared.own is None else [names.LOCAL_ONLY]), *compared.accuracy]
  rows = tuple(
    (
      names.model_name(model),
      *(cell for one in by_metric for cell in _spread(one.metric, _accuracy(one, model))),
    )
    for model in models
  )
  best_note = (_BEST_NOTE,) if metric_names.BEST in compared.accuracy else ()
  return Table(columns, rows, (_clients_note(compared), _SPREAD_NOTE, *best_note))


def gains_table(compared: ComparedRuns) -> Table:
  """Returns a table of what the models are worth to the clients.

  Args:
    compared: accuracies by model, as `AdaptationFolder.compare_models` gives them.

  Returns:
    One row per model: its mean change in points with the 95 % interval, and the share of clients
    that lose. The change is against the federated model and, where known, each client's locally
    trained model.
  """
  bases = [base for base in _GROUPS if base == metric_names.FEDERATED or compared.own is not None]
  unit = formats.difference_unit(compared.metric)
  columns = (
    Column('', 'model'),
    *(Column(f'{_GROUPS[base]} ({unit})', name) for base in bases for name in _CHANGE),
  )
  rows = tuple(
    (
      names.model_name(model),
      *(cell for base in bases for cell in _change(compared, model, base)),
    )
    for model in compared.accuracy
  )
  no_own = (_NO_OWN,) if compared.own is None else ()
  return Table(columns, rows, (*no_own, _WORSE_NOTE, paired.INTERVAL))


def techniques_table(run: AdaptationFolder, clients: pd.Series) -> Table:
  """Returns a table of how each adaptation went.

  Args:
    run: the run.
    clients: of which clients, bool by client id.

  Returns:
    One row each for the federated model and every adaptation. It has the number and share of
    clients for which the model is best by validation. It also has the median chosen epoch, and the
    number of clients whose weights were not finite.
  """
  columns = (
    Column('', 'model'),
    Column('best by validation', 'clients'),
    Column('best by validation', '(%)'),
    Column('', 'median epoch'),
    Column('clients', 'not finite'),
  )
  best = run.best_names[clients]
  rows = []
  for model in (metric_names.FEDERATED, *run.adaptations):
    times = int((best == model).sum())
    is_finite = run.values(metric_names.is_finite(model))[clients]
    rows.append(
      (
        names.model_name(model),
        f'{times:,}',
        formats.percent(times / len(best) if len(best) else math.nan, digits=1),
        formats.significant(run.values(metric_names.epoch(model))[clients].dropna().median()),
        formats.count((is_finite == 0).sum() if is_finite.notna().any() else math.nan),
      )
    )
  return Table(columns, tuple(rows), ('Epoch: the one that was chosen, on validation data.',))


def _accuracy(compared: ComparedRuns, model: str) -> pd.Series:
  """Returns a model's accuracy by client; NaN for missing locally trained models."""
  if model != names.LOCAL_ONLY:
    return compared.accuracy[model]
  if compared.own is None:
    return pd.Series(math.nan, index=compared.accuracy.index)
  return compared.own


def _spread(metric: str, accuracy: pd.Series) -> tuple[str, str, str]:
  spread = describe_clients(accuracy, metric)
  return (
    formats.value_with_std(metric, spread.mean, math.sqrt(spread.variance)),
    formats.value(metric, spread.median),
    formats.value(metric, spread.worst_decile),
  )


def _change(compared: ComparedRuns, model: str, base: str) -> tuple[str, str, str]:
  """Returns a model against another one; dashes where it is that one itself."""
  if model == base:
    return (formats.MISSING, formats.MISSING, formats.MISSING)
  metric = compared.metric
  change = paired.compare_clients(_accuracy(compared, model), _accuracy(compared, base), metric)
  return (
    formats.difference(metric, change.mean_difference),
    tables.interval(change, metric),
    formats.percent(change.share_worse, digits=2),
  )


def _clients_note(compared: ComparedRuns) -> str:
  what = formats.metric_label(compared.metric).removesuffix(' (%)')
  note = f'Over the {len(compared.accuracy):,} clients whose {what} is known with every model'
  if compared.num_left_out:
    note += f'; {compared.num_left_out:,} without it are left out'
  return f'{note}.'
