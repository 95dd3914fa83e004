"""The leaderboard of a suite's rows, and the heat maps of a suite of robustness."""

from collections.abc import Sequence

from tff_lg import metrics
from tff_lg.analysis import formats, leaderboard, leaderboard_runs, robustness
from tff_lg.suites.robustness import TECHNIQUE, Cell
from tff_lg.suites.running import Row, SuiteRun
from tff_lg.suites.suite import SuiteEntry


def leaderboard_rows(run: SuiteRun, rows: Sequence[Row]) -> list[leaderboard.LeaderboardRow]:
  """Reads the runs of rows, and what the paper has of them.

  Raises:
    RunFolderError: a file is missing or damaged; one sentence.
  """
  return [
    leaderboard.LeaderboardRow(
      row.method.name,
      row.method.label,
      [run.load(row.method, path) for path in row.runs],
      about=', '.join(f'{name}={value:g}' for name, value in row.point.items()),
      published=run.suite.published.get(row.method.name) if run.is_published else None,
    )
    for row in rows
  ]


def shown(suite: SuiteEntry) -> leaderboard.Shown:
  """Returns how a suite's scores are shown."""

  def text(value: float) -> str:
    return formats.fixed(value, suite.digits)

  def difference(value: float) -> str:
    return text(value).replace('-', '−') if value < 0 else f'+{text(value)}'

  more_is_better = metrics.METRICS[suite.metric].more_is_better
  return leaderboard.Shown(suite.score_label, more_is_better, text, difference, suite.source)


def robustness_cells(cells: Sequence[Cell]) -> list[robustness.RobustnessCell]:
  """Reads the runs of cells.

  Raises:
    RunFolderError: a file is missing or damaged; one sentence.
  """
  return [
    robustness.RobustnessCell(
      cell.similarity,
      cell.num_byzantine,
      cell.rule.label,
      about=', '.join(f'{name}={value:g}' for name, value in cell.point.items()),
      validation=cell.validation,
      runs={
        attack: [_accuracies(run, own) for run, own in zip(runs, cell.own, strict=True)]
        for attack, runs in cell.runs.items()
      },
    )
    for cell in cells
  ]


def _accuracies(run: tuple[str, str] | None, own_run: str) -> robustness.ClientAccuracies:
  own = leaderboard_runs.load_trained(own_run).test
  if run is None:  # It diverged.
    return robustness.ClientAccuracies(0.0 * own, 0.0 * own, own)
  trained, adapted = run
  before = leaderboard_runs.load_trained(trained).test
  after = leaderboard_runs.load_adapted(adapted, TECHNIQUE).test
  return robustness.ClientAccuracies(before, after, own.reindex(before.index))
