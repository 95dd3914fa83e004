"""What a trained model is for the clients that were held out of its training."""

from tff_lg.analysis import formats, names
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
    run.value(f'{_PREFIX}{name}') for name in (names.LOCAL_TEST_MEAN, names.LOCAL_TEST_STD)
  )
  return (
    f'{number:,.0f} held-out clients, which training never saw: local test accuracy '
    f'{formats.percent_with_std(mean, std)} %.',
  )
