"""The results of linear devices as a table."""

from collections.abc import Sequence

from tff_lg import metric_names
from tff_lg.analysis import formats, tables
from tff_lg.analysis.tables import Column
from tff_lg.analysis.theory.experiment import LinearResult

_ALPHAS = {
  'formula': 'formula',
  'paper_formula': "paper's",
  'measured': 'measured',
  'estimated': 'estimated',
}
_ERRORS = {
  'local': 'local',
  'global': 'global',
  'formula': 'alpha* formula',
  'paper_formula': "paper's",
  'estimated': 'estimated',
  'least': 'least',
}
_NOTES = (
  'Formula: R / (R + T), R = c d rho^2 with c = 1/3, T = d sigma^2 / N.',
  "Paper's: the same with R = rho^2, as the paper writes it: c = 1, rho^2 summed over coordinates.",
  'Measured: mean over repeats of the best alpha on test data, known only after the fact.',
  'Estimated: from the estimates of R and T from training data.',
  'Error: excess over the noise, in units of 0.001. Local: alpha = 1; global: alpha = 0.',
  '±: half of the 95 % interval of the mean over repeats.',
)


def results_table(results: Sequence[LinearResult]) -> tables.Table:
  """Returns one row per setting: alpha* and errors.

  Args:
    results: of `run_linear`.

  Returns:
    alpha* by formula, as measured and as estimated. The measured errors at these, of the local
    model, of the global model, and of the best mixture.
  """
  columns = (
    Column('', 'rho'),
    *(Column('alpha*', name) for name in _ALPHAS.values()),
    *(Column('measured error', name) for name in _ERRORS.values()),
  )
  rows = []
  for result in results:
    values = result.summary()
    alphas = (_with_margin(values, metric_names.alpha(name)) for name in _ALPHAS)
    errors = (_with_margin(values, metric_names.error(name), 1000) for name in _ERRORS)
    rows.append((f'{result.rho:g}', *alphas, *errors))
  return tables.Table(columns, tuple(rows), _NOTES)


def _with_margin(values: dict[str, float], name: str, scale: float = 1) -> str:
  """Returns `0.5161` for a number, `0.512 ± 0.004` for a mean over repeats."""
  mean = formats.fixed(scale * values[name], 3)
  _, high = metric_names.interval(name)
  if high not in values:
    return mean
  return f'{mean} ± {formats.fixed(scale * (values[high] - values[name]), 3)}'
