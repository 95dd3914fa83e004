"""Sections on an adaptation run: what adapting the federated model is worth to each client."""

from collections.abc import Hashable, Mapping

import pandas as pd
from markupsafe import Markup

from tff_lg import metric_names
from tff_lg.analysis import (
  adaptation_tables,
  figures,
  formats,
  markup,
  names,
  paired,
  style,
  tables,
)
from tff_lg.analysis.adaptation_folder import HELD_OUT, AdaptationFolder
from tff_lg.analysis.compared_runs import ComparedRuns
from tff_lg.analysis.following_tables import following_tables
from tff_lg.analysis.sections.comparison import improvement_caption
from tff_lg.analysis.sections.configuration import flags_section
from tff_lg.analysis.sections.result import REFERENCE_WARNING, SYNTHETIC_WARNING
from tff_lg.analysis.sections.section import Illustration, Section, tiles, warnings

_BEFORE_AND_AFTER = (metric_names.FEDERATED, metric_names.BEST)
_SIZE_AND_COMPLEXITY = ('num_train', 'num_classes')
_TABLES = ('Accuracy', 'Gains', 'Techniques')
_BASES = {names.LOCAL_ONLY: 'locally trained model', metric_names.FEDERATED: 'federated model'}


def adaptation_sections(run: AdaptationFolder) -> tuple[Section, ...]:
  """Returns the sections of the report, in order; those without data are left out."""
  # The figures are of the first group: held-out clients, if there are no others.
  (group, clients), *others = run.groups().items()
  compared = run.compare_models(run.metric, clients)
  sections: list[Section | None] = [
    _result(run, group, compared),
    Section('models', 'Models', _tables(run, clients)),
  ]
  if len(compared.accuracy):
    sections += [_clients(run, compared), _data(run, compared), _validation(run)]
  for name, chosen in others:
    lead = markup.fill('paragraph', headline(run.compare_models(run.metric, chosen))) + '\n'
    sections.append(Section('held_out', name, lead + _tables(run, chosen)))
  following = following_tables(run)
  if following:
    html = Markup('\n').join(
      markup.fill('heading', name) + Markup('\n').join(map(tables.to_html, found))
      for name, found in following.items()
    )
    sections.append(Section('following', 'After adapting', html))
  if not run.is_synthetic:
    hparams = {name: value for name, value in run.hparams.items() if name != 'source'}
    sections.append(flags_section('adapt', hparams, run.path))
  return tuple(section for section in sections if section is not None)


def adaptation_title(run: AdaptationFolder) -> str:
  """Returns what was adapted: `Local adaptation of FedAvg, median on cifar10`."""
  made_by = names.run_name(str(run.source.get('method', 'a run')), run.source.get('aggregator'))
  task = run.source.get('task')
  return f'Local adaptation of {made_by}' + (f' on {task}' if task else '')


def headline(compared: ComparedRuns) -> str:
  """Returns two sentences: the gain of adaptation, and who is worse off before and after."""
  federated, best = compared.accuracy[metric_names.FEDERATED], compared.accuracy[metric_names.BEST]
  accuracy = formats.metric_label(compared.metric).removesuffix(' (%)')
  metric = compared.metric
  change = paired.compare_clients(best, federated, metric)
  n = change.num_clients
  if not n:
    return f'There is no client whose {accuracy} is known with every model.'
  interval = f' (95 % interval {tables.interval(change, metric)})' if n > 1 else ''
  text = (
    f'Adaptation, chosen by each client on its validation data, changes the {accuracy} of the '
    f'federated model by {formats.difference_with_unit(metric, change.mean_difference)} on '
    f'average{interval}; '
    f'{change.num_better:,} of {n:,} clients do better, {change.num_worse:,} do worse.'
  )
  if compared.own is not None:
    before, after = (
      paired.compare_clients(model, compared.own, metric) for model in (federated, best)
    )
    text += (
      f' With the federated model {before.num_worse:,} clients '
      f'({formats.percent(before.share_worse, digits=1)} %) are worse off than with their '
      f'locally trained model, after adaptation {after.num_worse:,} '
      f'({formats.percent(after.share_worse, digits=1)} %).'
    )
  return text.replace(' %', '\N{NO-BREAK SPACE}%')


def _result(run: AdaptationFolder, group: str, compared: ComparedRuns) -> Section:
  beware = [
    text
    for text, applies in (
      (SYNTHETIC_WARNING, run.is_synthetic),
      (REFERENCE_WARNING, run.chosen_on_test_data),
      (f'{group}: the run has no other clients.', group == HELD_OUT),
    )
    if applies
  ]
  numbers = {}
  for model in (metric_names.FEDERATED, metric_names.BEST):
    name = names.model_name(model).lower()
    accuracy = compared.accuracy[model]
    numbers[f'{name}, mean ± std over clients'] = formats.value_with_std(
      compared.metric, accuracy.mean(), accuracy.std(ddof=0)
    ) + formats.unit(compared.metric)
    if compared.own is not None:
      worse = paired.compare_clients(accuracy, compared.own, compared.metric).share_worse
      numbers[f'{name}, clients worse off than alone'] = f'{formats.percent(worse)} %'
  html = warnings(beware) + markup.fill('paragraph', headline(compared), 'headline')
  html += tiles(numbers if len(compared.accuracy) else {})
  return Section('result', 'Result', html)


def _tables(run: AdaptationFolder, clients: pd.Series) -> Markup:
  found = adaptation_tables.group_tables(run, clients)
  return Markup('\n').join(
    markup.fill('heading', title) + tables.to_html(table)
    for title, table in zip(_TABLES, found, strict=True)
  )


def _clients(run: AdaptationFolder, compared: ComparedRuns) -> Section:
  """Returns the paper's Figures 1, 2, 4 and 5; some need known locally trained models."""
  series, gains = _series(run), _gains(compared)
  illustrations = []
  if compared.own is not None:
    figure = figures.improvement_bars(
      compared.own,
      {series[model].label: compared.accuracy[model] for model in _BEFORE_AND_AFTER},
      metric=compared.metric,
      colours=[series[model].colour for model in _BEFORE_AND_AFTER],
    )
    illustrations.append(Illustration('improvement', figure, improvement_caption(compared.metric)))
  base = metric_names.FEDERATED if compared.own is None else names.LOCAL_ONLY
  figure = figures.adaptation_gain(
    compared.accuracy[metric_names.FEDERATED] if compared.own is None else compared.own,
    gains[metric_names.FEDERATED][metric_names.BEST],
    run.best_names[compared.accuracy.index],
    x=f'{_BASES[base]}: {formats.metric_label(compared.metric)}',
    series={model: drawn for model, drawn in series.items() if model != metric_names.BEST},
    metric=compared.metric,
  )
  caption = (
    'A mark for each client, of the model that is best on its validation data: what that model '
    'changes on test data against the federated one.'
  )
  illustrations.append(Illustration('adaptation_gain', figure, caption))
  figure = figures.cumulative_gain(
    {f'over the {_BASES[base]}': table for base, table in gains.items()},
    series=series,
    metric=compared.metric,
  )
  caption = (
    'Clients in order, those that gain most first: a line rises over clients that gain, falls over '
    'clients that lose, and ends in the mean gain.'
  )
  illustrations.append(Illustration('cumulative_gain', figure, caption))
  return Section('clients', 'Clients', illustrations=tuple(illustrations))


def _data(run: AdaptationFolder, compared: ComparedRuns) -> Section | None:
  """Returns the figures by size and vocabulary; None where one of them is not known.

  Yu et al. 2020, Figure 3 (gains), Figures 6 and 7 (accuracy).
  """
  size, complexity = (run.values(name)[compared.accuracy.index] for name in _SIZE_AND_COMPLEXITY)
  if (size + complexity).isna().all():
    return None
  scores, drawn = compared.accuracy[list(_BEFORE_AND_AFTER)], _series(run)
  if compared.own is not None:
    scores = scores.assign(**{names.LOCAL_ONLY: compared.own})[[names.LOCAL_ONLY, *scores]]
    label, colour = names.method_name(names.LOCAL_ONLY), style.colour(names.LOCAL_ONLY)
    own = style.Series(label, colour, style.line_style(names.LOCAL_ONLY), 's')
    drawn = drawn | {names.LOCAL_ONLY: own}
  figure = figures.gain_by_data(
    scores,
    size,
    complexity,
    y=formats.metric_label(compared.metric),
    metric=compared.metric,
    series={model: drawn[model] for model in scores},
    are_gains=False,
  )
  caption = (
    'Scores on test data: a dot for each client with its best model, and lines through the means '
    'of bins of as many clients each, or of clients with equal values.'
  )
  illustrations = [Illustration('accuracy_by_data', figure, caption)]
  for base, gains in _gains(compared).items():
    models = _BEFORE_AND_AFTER if base == names.LOCAL_ONLY else gains.columns
    figure = figures.gain_by_data(
      gains[list(models)],
      size,
      complexity,
      y=f'change against the {_BASES[base]} ({formats.difference_unit(compared.metric)})',
      metric=compared.metric,
      series={model: _series(run)[model] for model in models},
    )
    caption = (
      f'Change against the {_BASES[base]}: a dot for each client with its best model, and lines '
      'through the means of bins of as many clients each, or of clients with equal values.'
    )
    illustrations.append(Illustration(f'gain_by_data_over_{base}', figure, caption))
  return Section('data', 'Size and complexity of the data', illustrations=tuple(illustrations))


def _validation(run: AdaptationFolder) -> Section | None:
  """Returns the curves on validation data; None where no adaptation has any."""
  table = run.validation_curves
  if table is None:
    return None
  metric, curves = table.columns[-1], {}
  for name, rows in table.groupby('model', sort=False):
    # One epoch, or a vote, is no curve, nor are numbers that are not finite.
    if rows['epoch'].nunique() > 2 and rows[metric].notna().any():
      options = rows.drop(columns=['model', 'epoch', metric]).dropna(axis='columns')
      labels = [_describe(str(name), setting) for setting in options.to_dict('records')]
      # A setting may have been given twice.
      by_setting = rows.assign(setting=labels).pivot_table(
        index='epoch', columns='setting', values=metric, aggfunc='first', dropna=False
      )
      curves[str(name)] = by_setting[list(dict.fromkeys(labels))]
  if not curves:
    return None
  figure = figures.validation_curves(curves, series=_series(run), metric=metric)
  caption = (
    'The mean over the validation data of all clients that decide, by epoch: a line per setting. '
    'The mark is at the best of all, which --choose=global takes. More epochs are worth a try if '
    'it is at the end.'
  )
  illustrations = (Illustration('validation_curves', figure, caption),)
  return Section('validation', 'Validation data by epoch', illustrations=illustrations)


def _describe(adaptation: str, setting: Mapping[Hashable, float]) -> str:
  options = {str(name).removeprefix(f'{adaptation}_'): value for name, value in setting.items()}
  return '\n'.join(f'{name.replace("_", " ")} {value:g}' for name, value in options.items())


def _gains(compared: ComparedRuns) -> dict[str, pd.DataFrame]:
  """Returns gains by client and model, over locally trained models where known, and federated."""
  accuracy, sign = compared.accuracy, 1 if formats.is_more_better(compared.metric) else -1
  over: dict[str, pd.DataFrame] = {}
  if compared.own is not None:
    over[names.LOCAL_ONLY] = sign * accuracy.sub(compared.own, axis=0)
  adapted = accuracy.drop(columns=metric_names.FEDERATED)
  over[metric_names.FEDERATED] = sign * adapted.sub(accuracy[metric_names.FEDERATED], axis=0)
  return over


def _series(run: AdaptationFolder) -> dict[str, style.Series]:
  """Returns how the models are drawn in every figure of the page."""
  adaptations = {
    name: style.Series(names.model_name(name), *style.nth_series(i))
    for i, name in enumerate(run.adaptations, start=1)
  }
  federated = style.Series(names.model_name(metric_names.FEDERATED), style.MUTED, (0, (1, 1)), 'X')
  best = style.Series(names.model_name(metric_names.BEST), *style.nth_series(0))
  return {metric_names.FEDERATED: federated, **adaptations, metric_names.BEST: best}
