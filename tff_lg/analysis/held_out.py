"""The scores of a trained model for the clients that were held out of its training."""

from tff_lg import metric_names
from tff_lg.analysis import formats
from tff_lg.analysis.run_folder import RunFolder


def held_out_sentences(run: RunFolder) -> tuple[str, ...]:
  """Says how held-out clients fare with the model that the others trained.

  Args:
    run: the run.

  Returns:
    One sentence, such as '20 held-out clients, which training never saw: local test accuracy
    71.20 ± 3.10 %.'; none for a run that held nobody out.
  """
  number = run.value(f'{metric_names.HELD_OUT}num_clients')
  if not number > 0:
    return ()
  metric = f'{metric_names.HELD_OUT}{run.local_test}'
  mean, std = run.value(metric_names.mean(metric)), run.value(metric_names.std(metric))
  return (
    f'{number:,.0f} held-out clients, which training never saw: local test {run.metric.label} '
    f'{formats.value_with_std(run.local_test, mean, std)}{formats.unit(run.local_test)}.',
  )
