"""Numbers as people read them. Values that are not finite become a dash everywhere."""

import math
from typing import NamedTuple

from tff_lg import metric_names, metrics

MISSING = '–'


class Unit(NamedTuple):
  """A unit of bytes: divide by `size`, then write `name`."""

  name: str
  size: float


def percent(share: float, digits: int = 2) -> str:
  """Returns a share in [0, 1] in per cent, without the sign: 0.98765 is `98.77`."""
  return f'{100 * share:.{digits}f}' if math.isfinite(share) else MISSING


def percent_with_std(mean: float, std: float) -> str:
  """Returns the mean and standard deviation of shares in per cent: `98.77 ± 0.35`."""
  if not math.isfinite(mean + std):
    return percent(mean)
  return f'{percent(mean)} ± {percent(std)}'


def metric_scale(metric: str) -> float:
  """Returns by what a metric is multiplied to be shown: accuracies are shown in per cent."""
  # What it took to reach an accuracy is none.
  if metric_names.is_to_goal(metric):
    return 1
  found = metrics.find_metric(metric)
  return 100 if found is not None and found.is_share else 1


def is_more_better(metric: str) -> bool:
  """Returns whether more is better for a column's metric; True if that is not known."""
  found = metrics.find_metric(metric)
  return found is None or found.more_is_better


def value(metric: str, number: float) -> str:
  """Returns a metric without its sign: an accuracy `98.77`, an error in four digits `0.1234`."""
  return percent(number) if metric_scale(metric) == 100 else significant(number)


def value_with_std(metric: str, mean: float, std: float) -> str:
  """Returns the mean and standard deviation of a metric: `98.77 ± 0.35`, `0.1234 ± 0.0123`."""
  if metric_scale(metric) == 100:
    return percent_with_std(mean, std)
  if not math.isfinite(mean + std):
    return significant(mean)
  return f'{significant(mean)} ± {significant(std)}'


def unit(metric: str) -> str:
  """Returns what follows a value of a metric: ` %`, or nothing."""
  return ' %' if metric_scale(metric) == 100 else ''


def unit_of_column(metric: str) -> str:
  """Returns what follows the name of a column or axis with a metric: ` (%)`, or nothing."""
  return ' (%)' if metric_scale(metric) == 100 else ''


def difference(metric: str, number: float) -> str:
  """Returns by how much a metric is better, signed: `+1.23` points, or `+0.0123`."""
  if metric_scale(metric) == 100 or not math.isfinite(number):
    return points(number)
  text = f'{number:+,.4g}'
  return '0' if float(text.replace(',', '')) == 0 else text.replace('-', '−')


def difference_unit(metric: str) -> str:
  """Returns the unit of `difference`: `points`, `decrease` if less is better, else `increase`."""
  if metric_scale(metric) == 100:
    return 'points'
  return 'increase' if is_more_better(metric) else 'decrease'


def difference_with_unit(metric: str, number: float) -> str:
  """Returns a difference in a sentence: `+1.23 points`, or `a decrease of +0.0123`."""
  text, name = difference(metric, number), difference_unit(metric)
  if metric_scale(metric) == 100:
    return f'{text} {name}'
  return f'{"an" if name.startswith("i") else "a"} {name} of {text}'


def metric_label(metric: str) -> str:
  """Returns a metric's name with its unit: `local test accuracy, mean over clients (%)`."""
  text = metric.replace('/mean_over_', ', mean over ').replace('/std_over_', ', std over ')
  found = metrics.find_metric(metric)
  if found is not None:
    text = f'/{text}'.replace(f'/{found.name}', f'/{found.label}')[1:]
  text = text.replace('/', ' ').replace('_', ' ')
  return text + unit_of_column(metric)


def metric_with_std(metric: str, mean: float, std: float) -> str:
  """Returns the mean and deviation of any metric: `98.77 ± 0.35` (accuracy), `0.9981 ± 0.0004`."""
  if metric_scale(metric) == 100:
    return percent_with_std(mean, std)
  if not math.isfinite(mean):
    return MISSING
  digits = 4 if abs(mean) < 10 else 1
  text = f'{mean:.{digits}f}' if abs(mean) < 1e7 else f'{mean:.3e}'
  if not math.isfinite(std):
    return text
  return f'{text} ± {std:.{digits}f}' if abs(mean) < 1e7 else f'{text} ± {std:.1e}'


def fixed(number: float, digits: int) -> str:
  """Returns a number with so many digits after the point: `0.0412`."""
  return f'{number:,.{digits}f}' if math.isfinite(number) else MISSING


def significant(number: float) -> str:
  """Returns a number in four significant digits: `1.234`, `6.31e-05`; infinity is `∞`."""
  if math.isinf(number):
    return '∞' if number > 0 else '−∞'
  return f'{number:,.4g}' if math.isfinite(number) else MISSING


def points(difference: float) -> str:
  """Returns a difference of shares in percentage points, signed: 0.0123 is `+1.23`."""
  if not math.isfinite(difference):
    return MISSING
  text = f'{100 * difference:+.2f}'
  return '0.00' if float(text) == 0 else text.replace('-', '−')


def count(number: float) -> str:
  """Returns a count, exact below ten million: `633,226`; else as papers print it: `2.86e10`."""
  if not math.isfinite(number):
    return MISSING
  if abs(number) < 1e7:
    return f'{number:,.0f}'
  mantissa, exponent = f'{number:.2e}'.split('e')
  return f'{mantissa}e{int(exponent)}'


def byte_unit(largest: float) -> Unit:
  """Returns the decimal unit in which the largest of some byte counts is at least 1."""
  units = [Unit('B', 1), Unit('kB', 1e3), Unit('MB', 1e6), Unit('GB', 1e9), Unit('TB', 1e12)]
  return next((unit for unit in reversed(units) if largest >= unit.size), units[0])


def num_bytes(number: float) -> str:
  """Returns a byte count in decimal units: `114.4 GB`."""
  if not math.isfinite(number):
    return MISSING
  unit = byte_unit(number)
  return f'{number:,.0f} B' if unit.name == 'B' else f'{number / unit.size:,.1f} {unit.name}'


def flops(number: float) -> str:
  """Returns a number of floating-point operations: `1.3 GFLOP`."""
  if not math.isfinite(number):
    return MISSING
  for size, prefix in ((1e12, 'T'), (1e9, 'G'), (1e6, 'M'), (1e3, 'k')):
    if number >= size:
      return f'{number / size:,.1f} {prefix}FLOP'
  return f'{number:,.0f} FLOP'


def seconds(number: float) -> str:
  """Returns a duration: `8.3 s`, `4 min 05 s`, `2 h 07 min`."""
  if not math.isfinite(number):
    return MISSING
  if number < 60:
    return f'{number:.1f} s'
  whole = round(number)
  if whole < 3600:
    return f'{whole // 60} min {whole % 60:02d} s'
  return f'{whole // 3600} h {whole % 3600 // 60:02d} min'


def shortened(text: str, most: int = 24) -> str:
  """Returns a name that a figure has room for: `a very long name of a cl…`."""
  return text if len(text) <= most else f'{text[: most - 1]}…'
