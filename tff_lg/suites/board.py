"""The leaderboard of a suite's rows."""

from collections.abc import Sequence

from tff_lg import metrics
from tff_lg.analysis import formats, leaderboard
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
