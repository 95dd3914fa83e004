"""The outcome, in a sentence and a few numbers."""

import math

from markupsafe import Markup

from tff_lg import metric_names
from tff_lg.analysis import (
  client_advice,
  client_costs,
  client_verdicts,
  formats,
  goals,
  held_out,
  markup,
  names,
  opponent,
  paired,
  tables,
)
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections.section import Section, tiles, warnings

SYNTHETIC_WARNING = 'Synthetic: every number on this page is invented, to try the report.'
REFERENCE_WARNING = 'Models were chosen on test data: accuracies are optimistic.'


def build_result(run: RunFolder) -> Section:
  """Returns the headline, the most important numbers, and what to beware of."""
  beware = [
    text
    for text, applies in (
      (SYNTHETIC_WARNING, run.is_synthetic),
      (
        str(run.summary.get(metric_names.PROTOCOL_NOTE, REFERENCE_WARNING)),
        run.chosen_on_test_data,
      ),
    )
    if applies
  ]
  numbers = {name: text for name, text in _tiles(run) if not text.startswith(formats.MISSING)}
  sentences = (
    *client_verdicts.verdict_sentences(run)[1:],
    *client_advice.advice_sentences(run),
    *opponent.opponent_sentences(run),
    *_evaluated_sentences(run),
    *held_out.held_out_sentences(run),
    *goals.goal_sentences(run),
    *_optimism_sentences(run),
  )
  others = Markup().join(markup.fill('paragraph', sentence) for sentence in sentences)
  html = warnings([*beware, *_ruined(run)]) + _headlines(run) + tiles(numbers) + others
  return Section('result', 'Result', html)


def _ruined(run: RunFolder) -> list[str]:
  """Returns what is known of void rounds and ruined models of the run and its baselines."""
  texts = []
  for each in (run, *run.baselines.values()):
    method = names.method_name(each.method)
    if metric_names.NUM_VOID_ROUNDS in each.summary:
      num_void = f'{each.value(metric_names.NUM_VOID_ROUNDS):,.0f}'
      texts.append(
        f'{method}: rounds without effect because the aggregator overflowed: {num_void}.'
      )
    if metric_names.TRAINING_WARNING in each.summary:
      texts.append(f'{method}: {each.summary[metric_names.TRAINING_WARNING]}')
  return texts


def _headlines(run: RunFolder) -> Markup:
  """Returns the answer first: who should take part; then what the averages over clients are."""
  verdicts = client_verdicts.verdict_sentences(run)
  if not verdicts:
    return markup.fill('paragraph', headline(run), 'headline')
  first = markup.fill('paragraph', verdicts[0], 'headline')
  return first + markup.fill('paragraph', headline(run))


def headline(run: RunFolder) -> str:
  """Says which clients gain against their own model, and how much, by each test."""
  method = names.method_name(run.method)
  own = run.client_accuracy(names.LOCAL_ONLY)
  metric = run.local_test
  comparison = paired.compare_clients(run.client_accuracy(), own, metric)
  n = comparison.num_clients
  if not n:
    mean = formats.value(metric, run.value(metric_names.mean(metric)))
    return (
      f'Local test {run.metric.label}{run.optimism} with {method} on average over clients: '
      f'{mean}{formats.unit(metric)}.'
    )
  share = formats.percent(comparison.num_better / n, digits=0)
  sentence = (
    f'{comparison.num_better:,} of {n:,} clients ({share} %) do better with {method} than with '
    f'their own model; {comparison.num_equal:,} do equally well and {comparison.num_worse:,} do '
    f'worse. {_mean_is(run)} {_difference(comparison, metric)} of local test {run.metric.label}'
    f'{run.optimism}.'
  )
  by_participant = paired.compare_clients(
    *(
      run.client_accuracy(model, metric_names.PARTICIPANT_ACCURACY)
      for model in (None, names.LOCAL_ONLY)
    )
  )
  if by_participant.num_clients:
    sentence += (
      " By participant test, the whole test set weighted by each client's classes, "
      f'{by_participant.num_better:,} do better, {by_participant.num_equal:,} equally well and '
      f'{by_participant.num_worse:,} worse; the mean difference is {_difference(by_participant)}.'
    )
  return sentence.replace(' %', '\N{NO-BREAK SPACE}%')


def _mean_is(run: RunFolder) -> str:
  return f'The mean {"difference" if run.metric.more_is_better else "decrease"} is'


def _difference(
  comparison: paired.PairedComparison, metric: str = metric_names.PARTICIPANT_ACCURACY
) -> str:
  """Returns `+1.20 points (95 % interval +0.10 to +2.30)`; for one client, no interval."""
  points = formats.difference(metric, comparison.mean_difference)
  if formats.metric_scale(metric) == 100:
    points += ' points'
  if comparison.num_clients < 2:
    return points
  return f'{points} (95 % interval {tables.interval(comparison, metric)})'


def _evaluated_sentences(run: RunFolder) -> list[str]:
  """Returns a note if only a sample of the clients is evaluated."""
  if metric_names.NUM_EVALUATED not in run.summary:
    return []
  return [
    f'Evaluated, and models chosen by: {run.value(metric_names.NUM_EVALUATED):,.0f} of '
    f'{len(run.clients):,} clients, drawn at random once for the whole run.'
  ]


def _optimism_sentences(run: RunFolder) -> list[str]:
  """Returns what a choice on test data would show, as papers often have it."""
  name = metric_names.mean(run.local_test)
  optimistic = run.value(metric_names.optimistic(name))
  if not math.isfinite(optimistic):
    return []
  difference = run.metric.sign * (optimistic - run.value(name))
  gain = formats.difference_with_unit(run.local_test, difference)
  return [
    f'If test data chose the rounds, {names.method_name(run.method)} would show '
    f'{formats.value(run.local_test, optimistic)}{formats.unit(run.local_test)} local test '
    f'{run.metric.label} ({gain}). Such figures are optimistic.'
  ]


def _tiles(run: RunFolder) -> list[tuple[str, str]]:
  own = run.baselines.get(names.LOCAL_ONLY)
  is_class = run.local_test == metric_names.LOCAL_ACCURACY
  tiles = [
    (f'{_of_main(run, "local test")}, mean ± std over clients', _mean_and_std(run)),
    *([('new test, ensemble of probabilities', _new_test(run))] if is_class else []),
    ('communicated', formats.num_bytes(run.value(metric_names.BYTES_TOTAL))),
  ]
  for label, text in (
    ('FLOPs per client and round', formats.flops(client_costs.flops_per_round(run))),
    ('memory of a client, estimated', formats.num_bytes(client_costs.memory_bytes(run))),
  ):
    if text != formats.MISSING:
      tiles.append((label, text))
  if own is not None:
    tiles.insert(1, (f'{_of_main(run, "local test")} of own models', _mean_and_std(own)))
  return tiles


def _mean_and_std(run: RunFolder) -> str:
  return f'{run.local_test_with_std()}{formats.unit(run.local_test)}'


def _new_test(run: RunFolder) -> str:
  new_test = run.value(metric_names.new_test('accuracy', 'ensemble_probability'))
  return f'{formats.percent(new_test)} %'


def _of_main(run: RunFolder, data: str) -> str:
  """Returns data with the main metric, which goes without saying where it is accuracy."""
  data += run.optimism
  return data if run.local_test == metric_names.LOCAL_ACCURACY else f'{data} {run.metric.label}'
