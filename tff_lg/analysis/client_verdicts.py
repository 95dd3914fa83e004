"""The verdicts of a finished run on each client, as its table of clients holds them."""

import pandas as pd

from tff_lg import metric_names
from tff_lg.analysis import formats, names
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.verdicts import Verdict


def load_verdicts(run: RunFolder, method: str = names.LOCAL_ONLY) -> pd.DataFrame | None:
  """Reads the verdicts of a run against a baseline.

  Args:
    run: the run.
    method: of the baseline.

  Returns:
    One row per client that has test examples and is compared, by its id. Columns: `difference`,
    `low`, `high`, `smallest_difference` (of the main metric), `adjusted_p_value`, `verdict`; the
    metric as `own` (baseline) and `federated` (run). None without verdicts.
  """
  start = metric_names.verdict_over(method)
  columns = [name for name in run.clients if name.startswith(start)]
  if not columns:
    return None
  table = run.clients[columns].rename(columns=lambda name: name.removeprefix(start))
  table['own'] = run.client_accuracy(method)
  table['federated'] = run.client_accuracy()
  return table[table['difference'].notna()]


def verdict_sentences(run: RunFolder) -> list[str]:
  """Says how many clients should take part, and what their test data could not tell."""
  table = load_verdicts(run)
  if table is None or table.empty:
    return []
  numbers = table['verdict'].value_counts()
  better, worse, unknown = (int(numbers.get(verdict, 0)) for verdict in Verdict)
  start = metric_names.verdict_over(names.LOCAL_ONLY)
  rate = formats.percent(run.value(f'{start}false_discovery_rate'), digits=0)
  sentences = [
    f'{better:,} of {len(table):,} clients should take part, {worse:,} should not; for '
    f'{unknown:,} their test data cannot tell. At most {rate} % of the clients called better or '
    'worse are expected to be called so by chance.'
  ]
  share = run.value(f'{start}share_truly_worse')
  if share == share:
    low, high = (
      formats.percent(run.value(end), digits=0)
      for end in metric_names.interval(f'{start}share_truly_worse')
    )
    sentences.append(
      f'With the noise of small test sets taken out, {formats.percent(share, digits=0)} % of '
      f'clients are worse off (95 % interval {low} to {high} %).'
    )
  return [sentence.replace(' %', '\N{NO-BREAK SPACE}%') for sentence in sentences]
