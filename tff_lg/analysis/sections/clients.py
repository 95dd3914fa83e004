"""Gains and losses of clients."""

from tff_lg.analysis import figures, names, style
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections.comparison import improvement_caption
from tff_lg.analysis.sections.section import Illustration, Section


def build_clients(run: RunFolder) -> Section | None:
  """Returns each client's own model against this method; None without the local-only baseline."""
  own = run.client_accuracy(names.LOCAL_ONLY)
  federated = run.client_accuracy()
  if (own - federated).isna().all():
    return None
  label = names.method_name(run.method)
  improvement = figures.improvement_bars(
    own, {label: federated}, metric=run.local_test, colours=(style.colour(run.method),)
  )
  scatter = figures.client_scatter(own, federated, method=run.method, metric=run.local_test)
  better, alone = ('above', 'below') if run.metric.more_is_better else ('below', 'above')
  caption = (
    f'A mark for each client: {better} the diagonal it does better with {label}, {alone} it would '
    'do better alone. Clients at the same place make one larger mark.'
  )
  return Section(
    'clients',
    'Clients',
    illustrations=(
      Illustration('client_scatter', scatter, caption),
      Illustration('improvement', improvement, improvement_caption(run.local_test)),
    ),
  )
