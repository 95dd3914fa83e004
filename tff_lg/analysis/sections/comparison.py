"""Runs on the same clients, and how evenly each serves them."""

from collections.abc import Sequence

from tff_lg.analysis import (
  compared_runs,
  comparison_tables,
  figures,
  formats,
  markup,
  names,
  privacy_price,
  tables,
)
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections.section import Illustration, Section

_BY_EPSILON = (
  'Accuracy against the ε that the rounds so far have spent, one mark per evaluated round. A run '
  'without privacy is a horizontal line; higher and further left is better.'
)


def build_comparison(
  run: RunFolder, *, others: Sequence[RunFolder] = (), metric: str | None = None
) -> Section | None:
  """Returns this run, its local-only baseline and other runs, by their accuracy over clients.

  Args:
    run: the run, whose baseline is the measure.
    others: runs on the same split.
    metric: by which accuracy; the run's main metric by default.

  Returns:
    The section; None if there is nothing to compare with.

  Raises:
    RunFolderError: the runs cannot be compared.
  """
  metric = metric or run.local_test
  own = run.client_accuracy(names.LOCAL_ONLY, metric)
  if not others and (own - run.client_accuracy(metric=metric)).isna().all():
    return None
  compared = compared_runs.compare_runs(run, others, metric)
  html = tables.to_html(comparison_tables.comparison_table(compared))
  differences = comparison_tables.run_differences_table(compared)
  if differences is not None:
    html += markup.fill('heading', 'This run against the others') + tables.to_html(differences)
  illustrations: tuple[Illustration, ...] = ()
  price = privacy_price.privacy_price_table(compared, (run, *others)) if others else None
  if price is not None:
    html += markup.fill('heading', 'What privacy costs') + tables.to_html(price)
    figure = figures.accuracy_by_epsilon(
      dict(zip(compared.accuracy, (run, *others), strict=True)), metric
    )
    illustrations = (Illustration('accuracy_by_epsilon', figure, _BY_EPSILON),)
  # By local test accuracy and alone, the run has its figure in the section on clients.
  if compared.own is not None and (others or metric != run.local_test):
    figure = figures.improvement_bars(compared.own, dict(compared.accuracy.items()), metric=metric)
    caption = improvement_caption(metric)
    illustrations += (Illustration('improvement_compared', figure, caption),)
  return Section('comparison', 'Comparison', html, illustrations)


def improvement_caption(metric: str) -> str:
  """Returns how to read `figures.improvement_bars`."""
  accuracy = formats.metric_label(metric).removesuffix(' (%)')
  return (
    f'Clients in bins of the {accuracy} of their locally trained model: how much taking part '
    'changes it on average. A bar has no error bar where it stands for one client.'
  )
