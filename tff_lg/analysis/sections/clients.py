"""Who gains and who loses."""

from tff_lg.analysis import figures, names
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections.section import Illustration, Section


def build_clients(run: RunFolder) -> Section | None:
  """Each client's own model against this method; None without the local-only baseline."""
  own = run.client_accuracy(names.LOCAL_ONLY)
  federated = run.client_accuracy()
  if (own - federated).isna().all():
    return None
  label = names.method_name(run.method)
  figure = figures.client_scatter(own, federated, method=run.method)
  caption = (
    f'A mark for each client: above the diagonal it does better with {label}, below it would do '
    'better alone. Clients at the same place make one larger mark.'
  )
  return Section(
    'clients',
    'Clients',
    illustrations=(Illustration('client_scatter', figure, caption),),
  )
