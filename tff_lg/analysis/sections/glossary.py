"""What each metric means: who, which weights, which data, when."""

from typing import NamedTuple

from markupsafe import Markup

from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections.section import Section


class Entry(NamedTuple):
  """A metric's meaning.

  Attributes:
    name: of the metric in the files of the run folder.
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


_BY_ROUND = 'after each evaluated round'
_CHOSEN = "the client's best round"
_OWN = "newest global weights with the client's own local ones"
_GLOSSARY = (
  Entry('train/loss', 'clients of the round', 'while they train', 'their training data', 'each round'),
  Entry(
    'train/num_clients_left_out', 'clients of the round', '–', 'updates that were not finite', 'each round'
  ),
  Entry(
    'validation/accuracy/mean_over_clients', 'every client counts the same', _OWN,
    "the client's validation data", _BY_ROUND,
  ),
  Entry(
    'validation/loss/mean_over_clients', 'every client counts the same', _OWN,
    "the client's validation data", _BY_ROUND,
  ),
  Entry(
    'local_test/accuracy/mean_over_clients', 'every client counts the same', _OWN,
    "the client's own test data", f'final: {_CHOSEN}; in curves: {_BY_ROUND}',
  ),
  Entry(
    'local_test/accuracy/std_over_clients', 'standard deviation over clients', _OWN,
    "the client's own test data", f'final: {_CHOSEN}; in curves: {_BY_ROUND}',
  ),
  Entry(
    'local_test/loss/mean_over_clients', 'every client counts the same', _OWN,
    "the client's own test data", f'final: {_CHOSEN}; in curves: {_BY_ROUND}',
  ),
  Entry(
    'new_test/accuracy/ensemble_probability', "mean of all clients' class probabilities",
    "each client's own model", 'the whole test set', _CHOSEN,
  ),
  Entry(
    'new_test/accuracy/ensemble_log_probability', "mean of all clients' log-probabilities",
    "each client's own model", 'the whole test set', _CHOSEN,
  ),
  Entry(
    'new_test/accuracy/ensemble_vote', "most votes of all clients' models",
    "each client's own model", 'the whole test set', _CHOSEN,
  ),
  Entry(
    'new_test/accuracy/weight_average', 'one model', "mean of all clients' weights",
    'the whole test set', _CHOSEN,
  ),
  Entry(
    'communication/parameters_total', 'all clients', 'model weights sent, up and down', '–',
    'sum over rounds so far',
  ),
  Entry(
    'communication/bytes_total', 'all clients', 'all that is sent, up and down', '–',
    'sum over rounds so far',
  ),
)


def build_glossary(run: RunFolder) -> Section | None:
  """A line for each metric that the run has; None if it has none that is known."""
  found = {*run.summary, *run.metrics}
  entries = [entry for entry in _GLOSSARY if entry.name in found]
  if not entries:
    return None
  rows = Markup().join(
    Markup('<tr><th scope="row"><code>{}</code></th>{}</tr>\n').format(
      entry.name, Markup().join(Markup('<td>{}</td>').format(cell) for cell in entry[1:])
    )
    for entry in entries
  )
  html = Markup(
    '<div class="scroll"><table class="words"><thead><tr><th scope="col">metric</th>'
    '<th scope="col">who</th><th scope="col">which weights</th><th scope="col">which data</th>'
    '<th scope="col">when</th></tr></thead><tbody>\n{}</tbody></table></div>\n'
    '<p class="note">{}</p>'
  ).format(rows, _note(run))
  return Section('glossary', 'What the metrics mean', html)


def _note(run: RunFolder) -> str:
  data = 'own test' if run.hparams.get('protocol') == 'reference' else 'validation'
  return (
    f"A client's best round is the evaluated round with the highest accuracy on its {data} data; "
    'where all weights are global there is one best round for all, by the mean over clients. '
    'In front of a name, local_only/ or another method means that baseline.'
  )
