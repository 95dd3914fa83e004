"""The scores of a trained model for the clients that were held out of its training."""

from tff_lg.analysis import formats
from tff_lg.analysis.run_folder import RunFolder

_PREFIX = 'held_out/'


def held_out_sentences(run: RunFolder) -> tuple[str, ...]:
  """Says how held-out clients fare with the model that the others trained.

  Args:
    run: the run.

  Returns:
    One sentence, such as '20 held-out clients, which training never saw: local test accuracy
    71.20 ± 3.10 %.'; none for a run that held nobody out.
  """
  number = run.value(f'{_PREFIX}num_clients')
  if not number > 0:
    return ()
  mean, std = (
    run.value(f'{_PREFIX}{run.local_test}/{name}_over_clients') for name in ('mean', 'std')
  )
  return (
    f'{number:,.0f} held-out clients, which training never saw: local test {run.metric.label} '
    f'{formats.value_with_std(run.local_test, mean, std)}{formats.unit(run.local_test)}.',
  )
