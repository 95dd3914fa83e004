"""Which model each client should use, as a finished run advises."""

from tff_lg import metric_names
from tff_lg.analysis import formats, names, paired
from tff_lg.analysis.run_folder import RunFolder


def advice_sentences(run: RunFolder) -> list[str]:
  """Says how many clients should use which method, and what that is worth on test data.

  Args:
    run: the run.

  Returns:
    Two sentences; none for a run without advice.
  """
  methods = (run.method, *run.baselines)
  counts = {
    method: int(run.summary[name])
    for method in methods
    if (name := metric_names.num_advised(method)) in run.summary
  }
  if not counts:
    return []
  by_number = sorted(counts.items(), key=lambda pair: -pair[1])
  listed = [f'{_name(method)} for {count:,}' for method, count in by_number]
  sentences = [
    f'Advice by validation data, of {sum(counts.values()):,} clients: {", ".join(listed)}.'
  ]
  metric, column = run.local_test, f'{metric_names.ADVICE}/{run.local_test}'
  if column in run.clients and names.LOCAL_ONLY in counts:
    own = run.client_accuracy(names.LOCAL_ONLY)
    comparison = paired.compare_clients(run.clients[column], own, metric)
    gain = formats.difference_with_unit(metric, comparison.mean_difference)
    low, high = (formats.difference(metric, end) for end in (comparison.low, comparison.high))
    mean = formats.value(metric, run.clients[column].mean()) + formats.unit(metric)
    sentences.append(
      f'So advised, they have {mean} local test {run.metric.label} on average, {gain} over their '
      f'own models (95 % interval {low} to {high}).'
    )
  return [sentence.replace(' %', '\N{NO-BREAK SPACE}%') for sentence in sentences]


def _name(method: str) -> str:
  return 'their own model' if method == names.LOCAL_ONLY else names.method_name(method)
