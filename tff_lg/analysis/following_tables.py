"""Tables of what an adaptation run did after adapting: aggregating, and training again."""

from tff_lg import metric_names
from tff_lg.analysis.adaptation_folder import TRAINED, AdaptationFolder
from tff_lg.analysis.adaptation_tables import accuracy_table, gains_table
from tff_lg.analysis.tables import Table

AGGREGATED = 'Adapted models, aggregated again'
KEPT = 'Trained again without some clients: those that were kept'
REMOVED = 'Trained again without some clients: those that were removed'


def following_tables(run: AdaptationFolder) -> dict[str, tuple[Table, Table]]:
  """Returns accuracies and gains of the models that came after adapting.

  Args:
    run: the run.

  Returns:
    `accuracy_table` and `gains_table` by name. Means of adapted models are over the clients that
    took part in training. The model trained again is over the clients that were kept, and over
    those that were removed. Empty for a run that did neither.
  """
  found = {}
  trained = run.groups().get(TRAINED)
  if run.aggregated and trained is not None:
    found[AGGREGATED] = (run.aggregated, trained)
  if run.was_retrained:
    is_removed = run.values(metric_names.IS_REMOVED) > 0
    if trained is not None:
      found[KEPT] = ((metric_names.RETRAINED,), trained & ~is_removed)
    found[REMOVED] = ((metric_names.RETRAINED,), is_removed)
  tables = {}
  for name, (models, clients) in found.items():
    compared = run.compare_models(run.metric, clients, (metric_names.FEDERATED, *models))
    tables[name] = accuracy_table([compared]), gains_table(compared)
  return tables
