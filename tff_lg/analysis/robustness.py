"""Heat maps of rules in the worst case over attacks: accuracy, the worst off, who is better alone.

Malicious clients never count. Each number is that of the attack whose mean over seeds is worst.
"""

import dataclasses
import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from tff_lg import client_gains, file_names, files
from tff_lg.analysis import figures, formats
from tff_lg.analysis.paired import worst_decile_mean
from tff_lg.analysis.sections import Illustration, command_section
from tff_lg.analysis.tables import Column, Table
from tff_lg.analysis.tables_report import write_tables_report

BEFORE, AFTER = 'before adaptation', 'after adaptation'
# The rule that validation data would choose, in a panel of its own.
CHOSEN = 'chosen by validation'
_LEAD = 'The command; rerun it to resume, without training anything twice:'
_CAPTION = (
  'f attackers, and clients that are alike to a degree gamma; each cell has the attack that is '
  'worst for it. Mean over seeds.'
)
_NOTES = (
  'Over honest clients on their own test data; ± is the standard deviation (n − 1) over seeds.',
  'Each number has the attack that is worst for it. A run that diverges counts as accuracy 0.',
  'Worst tenth: mean of the tenth of honest clients, rounded up, with the lowest accuracies.',
  'Better alone: share of honest clients whose own model is better.',
)


class ClientAccuracies(NamedTuple):
  """Accuracies of the honest clients of a run by id: of the model before and after adaptation."""

  before: pd.Series
  after: pd.Series
  own: pd.Series


@dataclasses.dataclass(frozen=True)
class RobustnessCell:
  """A rule against some attackers.

  Attributes:
    similarity: gamma.
    num_byzantine: f.
    rule: its label.
    about: values of its hyper-parameters.
    validation: score of the worst case on validation data.
    runs: of each seed by attack.
  """

  similarity: float
  num_byzantine: int
  rule: str
  about: str
  validation: float
  runs: Mapping[str, Sequence[ClientAccuracies]]


class _Measure(NamedTuple):
  label: str
  name: str
  of_run: Callable[[pd.Series, pd.Series], float]
  more_is_better: bool


def _mean(accuracies: pd.Series, own: pd.Series) -> float:
  del own
  return float(accuracies.mean())


def _worst_tenth(accuracies: pd.Series, own: pd.Series) -> float:
  del own
  return float(worst_decile_mean(accuracies.dropna().to_numpy()))


def _better_alone(accuracies: pd.Series, own: pd.Series) -> float:
  return client_gains.share_worse(client_gains.client_gains(accuracies, own))


MEASURES = (
  _Measure('accuracy', 'accuracy', _mean, True),
  _Measure('worst tenth', 'worst_tenth', _worst_tenth, True),
  _Measure('better alone', 'better_alone', _better_alone, False),
)


def worst_cases(cells: Sequence[RobustnessCell]) -> pd.DataFrame:
  """Returns the worst case over attacks of each cell and measure, before and after adaptation.

  Args:
    cells: at least one.

  Returns:
    One row per cell, measure and stage. Columns: `similarity`, `num_byzantine`, `rule`, `about`,
    `is_chosen`, `measure`, `stage`, `attack` (the worst), and `mean`, `std` and `n` over seeds.
    `is_chosen` marks the rule with the best validation score for this similarity and number.
  """
  rows = []
  best: dict[tuple[float, int], RobustnessCell] = {}
  for cell in cells:
    other = best.setdefault((cell.similarity, cell.num_byzantine), cell)
    if cell.validation > other.validation:
      best[cell.similarity, cell.num_byzantine] = cell
  for cell in cells:
    for measure in MEASURES:
      for stage in (BEFORE, AFTER):
        by_attack = {
          attack: [
            measure.of_run(run.before if stage == BEFORE else run.after, run.own) for run in runs
          ]
          for attack, runs in cell.runs.items()
        }
        sign = 1 if measure.more_is_better else -1
        worst = min(by_attack, key=lambda attack: sign * float(np.mean(by_attack[attack])))
        values = by_attack[worst]
        rows.append(
          {
            'similarity': f'{cell.similarity:g}',
            'num_byzantine': str(cell.num_byzantine),
            'rule': cell.rule,
            'about': cell.about,
            'is_chosen': best[cell.similarity, cell.num_byzantine] is cell,
            'measure': measure.name,
            'stage': stage,
            'attack': worst,
            'mean': float(np.mean(values)),
            'std': float(np.std(values, ddof=1)) if len(values) > 1 else math.nan,
            'n': len(values),
          }
        )
  return pd.DataFrame(rows)


def write_robustness(
  run_dir: str, title: str, cells: Sequence[RobustnessCell], command: str
) -> tuple[Table, tuple[str, str]]:
  """Writes `robustness.csv`, the heat maps and `report.html`.

  Args:
    run_dir: the folder.
    title: of the page.
    cells: at least one.
    command: what was run, for the page.

  Returns:
    The table, and the paths of the CSV file and the page.

  Raises:
    OSError: a file cannot be written.
  """
  found = worst_cases(cells)
  path = files.write_atomically(
    os.path.join(run_dir, file_names.ROBUSTNESS), found.to_csv(index=False)
  )
  table = robustness_table(found)
  drawn = [_illustrate(found, measure, stage) for measure in MEASURES for stage in (BEFORE, AFTER)]
  page = write_tables_report(
    run_dir, title, {'Worst case over attacks': table}, drawn, command_section(command, _LEAD)
  )
  return table, (path, page)


def robustness_table(found: pd.DataFrame) -> Table:
  """Returns the table of `worst_cases`; of several rules, the chosen ones are marked."""
  columns = [
    Column('', name) for name in ('gamma', 'f', 'rule', 'hyper-parameters', 'worst attack')
  ]
  columns += [
    Column(f'{measure.label} (%)', stage.split()[0])
    for measure in MEASURES
    for stage in (BEFORE, AFTER)
  ]
  rows = []
  for (gamma, number, rule), cell in found.groupby(
    ['similarity', 'num_byzantine', 'rule'], sort=False
  ):
    scores = cell.set_index(['measure', 'stage'])
    first = scores.loc[(MEASURES[0].name, BEFORE)]
    mark = ' (chosen)' if first['is_chosen'] and _has_choice(found) else ''
    texts = [
      formats.percent_with_std(*scores.loc[(measure.name, stage), ['mean', 'std']])
      for measure in MEASURES
      for stage in (BEFORE, AFTER)
    ]
    rows.append((gamma, number, f'{rule}{mark}', first['about'], first['attack'], *texts))
  return Table(tuple(columns), tuple(rows), _NOTES)


def _has_choice(found: pd.DataFrame) -> bool:
  return found['rule'].nunique() > 1


def _illustrate(found: pd.DataFrame, measure: _Measure, stage: str) -> Illustration:
  points = found[(found['measure'] == measure.name) & (found['stage'] == stage)]
  if _has_choice(points):
    points = pd.concat([points[points['is_chosen']].assign(rule=CHOSEN), points])
  points = points.rename(columns={'num_byzantine': 'f', 'similarity': 'gamma'})
  axes = {name: tuple(dict.fromkeys(points[name])) for name in ('f', 'gamma', 'rule')}
  figure = figures.sweep_heat_map(
    points,
    {**axes, 'f': tuple(sorted(axes['f'], key=int))},
    metric='accuracy',
    columns='f',
    rows='gamma',
    panels=('rule',),
    title=f'{measure.label} (%), {stage},\nin the worst case over attacks',
  )
  name = f'{measure.name}_{stage.split()[0]}'
  return Illustration(name, figure, f'{measure.label.capitalize()}, {stage}. {_CAPTION}')
