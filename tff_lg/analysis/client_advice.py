"""Which model each client should use, as a finished run advises."""

from tff_lg import metrics
from tff_lg.analysis import formats, names, paired
from tff_lg.analysis.run_folder import RunFolder

_ACCURACY = metrics.METRICS['accuracy']


def advice_sentences(run: RunFolder) -> list[str]:
  """Says how many clients should use which method, and what that is worth on test data.

  Args:
    run: the run.

  Returns:
    Two sentences; none for a run without advice, and of metrics other than accuracy the first.
  """
  methods = (run.method, *run.baselines)
  counts = {
    method: int(run.summary[name])
    for method in methods
    if (name := f'{names.ADVICE}/{method}/num_clients') in run.summary
  }
  if not counts:
    return []
  by_number = sorted(counts.items(), key=lambda pair: -pair[1])
  listed = [f'{_name(method)} for {count:,}' for method, count in by_number]
  sentences = [
    f'Advice by validation data, of {sum(counts.values()):,} clients: {", ".join(listed)}.'
  ]
  column = f'{names.ADVICE}/local_test/{_ACCURACY.name}'
  if column in run.clients and names.LOCAL_ONLY in counts:
    own = run.client_accuracy(names.LOCAL_ONLY)
    comparison = paired.compare_clients(run.clients[column], own)
    low, high = formats.points(comparison.low), formats.points(comparison.high)
    mean = formats.percent(run.clients[column].mean())
    sentences.append(
      f'So advised, they have {mean} % local test accuracy on average, '
      f'{formats.points(comparison.mean_difference)} points over their own models (95 % '
      f'interval {low} to {high}).'
    )
  return [sentence.replace(' %', '\N{NO-BREAK SPACE}%') for sentence in sentences]


def _name(method: str) -> str:
  return 'their own model' if method == names.LOCAL_ONLY else names.method_name(method)
