"""The meaning of each metric: who, which weights, which data, when."""

import re
from typing import NamedTuple

from tff_lg import metric_names, metrics
from tff_lg.analysis import markup
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections.section import Section


class Entry(NamedTuple):
  """A metric's meaning.

  Attributes:
    name: of the metric in the files of the run folder; METHOD stands for a baseline.
    who: whose model it is, and how many are averaged.
    weights: which weights.
    data: which data.
    when: at which round.
  """

  name: str
  who: str
  weights: str
  data: str
  when: str


_MEAN, _STD = 'mean over clients', 'std over clients'
_OWN = 'global and own local'
_VALIDATION, _TEST = "client's validation data", "client's own test data"
_PARTICIPANT = "whole test set, classes weighted by their shares in the client's training data"
_OTHERS_TEST = metric_names.others_test('accuracy')
_OTHERS = 'test data of all other clients, pooled'
_EVALUATED = 'evaluated rounds; finally: best round'
_BEST = 'best round'
_SENT = 'global, as the server publishes them'
_GLOSSARY = (
  Entry(
    metric_names.TRAIN_LOSS,
    'clients of the round',
    'while training',
    'their training data',
    'each round',
  ),
  Entry(
    metric_names.NUM_CLIENTS_LEFT_OUT,
    'clients of the round',
    'update not finite',
    '–',
    'each round',
  ),
  Entry(
    metric_names.NUM_EVALUATED,
    'clients that stand for all in what follows',
    _OWN,
    'validation and test data',
    'the same in all rounds',
  ),
  Entry(
    metric_names.mean(metric_names.validation('accuracy')), _MEAN, _OWN, _VALIDATION, _EVALUATED
  ),
  Entry(metric_names.mean(metric_names.validation('loss')), _MEAN, _OWN, _VALIDATION, _EVALUATED),
  Entry(metric_names.mean(metric_names.LOCAL_ACCURACY), _MEAN, _OWN, _TEST, _EVALUATED),
  Entry(metric_names.std(metric_names.LOCAL_ACCURACY), _STD, _OWN, _TEST, _EVALUATED),
  Entry(metric_names.mean(metric_names.local_test('loss')), _MEAN, _OWN, _TEST, _EVALUATED),
  Entry(
    metric_names.optimistic(metric_names.mean(metric_names.LOCAL_ACCURACY)),
    _MEAN,
    _OWN,
    _TEST,
    'the round that test data would choose',
  ),
  Entry(metric_names.mean(metric_names.PARTICIPANT_ACCURACY), _MEAN, _OWN, _PARTICIPANT, _BEST),
  Entry(metric_names.std(metric_names.PARTICIPANT_ACCURACY), _STD, _OWN, _PARTICIPANT, _BEST),
  Entry(metric_names.mean(_OTHERS_TEST), _MEAN, _OWN, _OTHERS, _BEST),
  Entry(metric_names.std(_OTHERS_TEST), _STD, _OWN, _OTHERS, _BEST),
  Entry(
    metric_names.honest(metric_names.mean(metric_names.LOCAL_ACCURACY)),
    'mean over clients that are not malicious',
    _OWN,
    _TEST,
    _BEST,
  ),
  Entry(
    metric_names.mean(metric_names.gain_over('METHOD', metric_names.LOCAL_ACCURACY)),
    'mean over clients of this run minus METHOD',
    _OWN,
    _TEST,
    _BEST,
  ),
  Entry(
    metric_names.share_worse(metric_names.gain_over('METHOD', metric_names.LOCAL_ACCURACY)),
    'share of clients less accurate than with METHOD, by 1e-6 or more',
    _OWN,
    _TEST,
    _BEST,
  ),
  Entry(
    metric_names.new_test('accuracy', 'ensemble_probability'),
    "all clients' models, mean of probabilities",
    _OWN,
    'whole test set',
    _BEST,
  ),
  Entry(
    metric_names.new_test('accuracy', 'ensemble_log_probability'),
    "all clients' models, mean of log-probabilities",
    _OWN,
    'whole test set',
    _BEST,
  ),
  Entry(
    metric_names.new_test('accuracy', 'ensemble_vote'),
    "all clients' models, most votes",
    _OWN,
    'whole test set',
    _BEST,
  ),
  Entry(
    metric_names.new_test('accuracy', 'weight_average'),
    'one model',
    "mean of all clients' weights",
    'whole test set',
    _BEST,
  ),
  Entry(
    metric_names.BACKDOOR_SUCCESS,
    'mean over clients that are not malicious',
    _OWN,
    'test images not of the target class, with the trigger: share taken for it',
    _BEST,
  ),
  Entry(metric_names.MALICIOUS_SHARE, 'malicious clients, of all', '–', '–', 'each round'),
  Entry(metric_names.EPSILON, 'any one client', _SENT, 'all its data', 'rounds so far, composed'),
  Entry(metric_names.DELTA, 'any one client', _SENT, 'all its data', 'whole run'),
  Entry(
    metric_names.NOISE_MULTIPLIER,
    'clients of the round',
    "std of the noise on the updates' sum, over the clipping norm",
    '–',
    'each round',
  ),
  Entry(
    metric_names.CLIP_NORM,
    'each client of the round',
    'largest norm that its update keeps',
    '–',
    'each round; if adaptive, the first',
  ),
  Entry(
    metric_names.PARAMETERS_TOTAL,
    'clients of the rounds',
    'weights sent, up and down',
    '–',
    'sum over rounds so far',
  ),
  Entry(
    metric_names.BYTES_TOTAL,
    'clients of the rounds',
    'all that is sent, up and down',
    '–',
    'sum over rounds so far',
  ),
)


_HEADS = ('metric', 'who', 'which weights', 'which data', 'when')


def build_glossary(run: RunFolder) -> Section | None:
  """Returns a line for each metric that the run has; None if it has none that is known."""
  found = {*run.summary, *run.metrics}
  # Entries name the main metric of most runs.
  main = f'/{run.metric.name}/'
  known = [entry._replace(name=entry.name.replace('/accuracy/', main)) for entry in _GLOSSARY]
  entries = [entry for entry in known if _is_in(entry, found)]
  if not entries:
    return None
  html = markup.fill('words_table', _HEADS, entries, _note(run))
  return Section('glossary', 'What the metrics mean', html)


def _is_in(entry: Entry, found: set[str]) -> bool:
  pattern = re.compile(re.escape(entry.name).replace('METHOD', '[^/]+'))
  return any(pattern.fullmatch(name) for name in found)


def _note(run: RunFolder) -> str:
  return (
    'Means over clients weight all clients equally; std is that of the population. '
    f'{_best_round(run)} METHOD/ in front of a name: that baseline.{_without_noise(run)}'
  )


def _without_noise(run: RunFolder) -> str:
  """Returns the note that a private run's metrics are not private."""
  if metric_names.EPSILON not in run.summary:
    return ''
  return ' Metrics are computed without noise: epsilon does not cover them.'


def _best_round(run: RunFolder) -> str:
  """Returns how the best round was chosen, by the config."""
  metric = metrics.METRICS.get(str(run.hparams.get('selection_metric')), run.metric)
  best = f'{"highest" if metric.more_is_better else "lowest"} {metric.label}'
  data = 'test' if run.chosen_on_test_data else 'validation'
  if run.hparams.get('selection_scope') == 'pooled':
    clients = 'the evaluated' if metric_names.NUM_EVALUATED in run.summary else 'all'
    return (
      'The best round is the evaluated round after the warm start with the '
      f"{best} on {clients} clients' {data} examples pooled. Ties go to the later round. It is one "
      'round for all clients.'
    )
  return (
    "A client's best round is the evaluated round after the warm start with the "
    f'{best} on its own {data} data. Ties go to the later round. Where all weights are global it '
    'is one round for all, by the mean over clients.'
  )
