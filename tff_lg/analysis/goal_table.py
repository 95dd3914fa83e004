"""What it took the methods of a sweep to reach an accuracy, as Table 2 of Liang et al. has it."""

from tff_lg import goal_names
from tff_lg.analysis import formats, names
from tff_lg.analysis.sweep_folder import SweepResults
from tff_lg.analysis.tables import Column, Table

_ACCURACY = 'pooled_test/accuracy'


def goal_table(sweep_dir: str, goal: float) -> Table:
  """A row for each point of the grid.

  Args:
    sweep_dir: the sweep folder; its trials had this --goal_accuracy.
    goal: the accuracy.

  Returns:
    The axes' values; rounds and parameters sent until the clients' pooled test accuracy first
    reached the goal, means over the seeds that reached it, and how many did; the accuracy of the
    chosen models after all rounds.

  Raises:
    RunFolderError: a file of the sweep is damaged, no trial is complete, or none had this goal.
  """
  results = SweepResults.load(sweep_dir)
  rounds, parameters, _ = goal_names.goal_counts(goal)
  axes = list(results.axes)
  points = results.points(_ACCURACY)
  for name, metric in (('rounds', rounds), ('parameters', parameters)):
    reached = results.points(metric).rename(columns={'mean': name, 'n': f'{name}_n'})
    points = points.merge(reached[[*axes, name, f'{name}_n']], on=axes)
  columns = (
    *(Column('', axis) for axis in axes),
    Column(f'to {100 * goal:g} %', 'rounds'),
    Column(f'to {100 * goal:g} %', 'parameters'),
    Column(f'to {100 * goal:g} %', 'reached'),
    Column('', formats.metric_label(_ACCURACY)),
  )
  rows = tuple(
    (
      *(names.axis_value(axis, row[axis]) for axis in axes),
      formats.fixed(row['rounds'], 1),
      formats.count(row['parameters']),
      f'{row["rounds_n"]} of {row["n"]}',
      formats.metric_with_std(_ACCURACY, row['mean'], row['std']),
    )
    for _, row in points.iterrows()
  )
  note = 'Rounds and parameters are means over the seeds that reached the goal.'
  return Table(columns, rows, (note,))
