"""The cost for the methods of a sweep to reach a target, as in Table 2 of Liang et al."""

from tff_lg import metric_names, metrics
from tff_lg.analysis import formats, names
from tff_lg.analysis.sweep_folder import SweepResults
from tff_lg.analysis.tables import Column, Table

# Of a sweep none of whose trials had the goal.
_DEFAULT = 'accuracy'


def goal_table(sweep_dir: str, goal: float) -> Table:
  """Returns a row for each point of the grid.

  Args:
    sweep_dir: the sweep folder; its trials had this --goal_accuracy.
    goal: value of the trials' main metric.

  Returns:
    The axes' values. The rounds and parameters sent until the clients' pooled main metric on test
    data first reached the goal. The metric of the chosen models after all rounds. Means are over
    the seeds that reached the goal; a column has their number.

  Raises:
    RunFolderError: a file of the sweep is damaged, no trial is complete, or none had this goal.
  """
  results = SweepResults.load(sweep_dir)
  counts = {name: tuple(metric_names.to_goal(goal, name)) for name in metrics.METRICS}
  # A trial that has not reached its goal has the columns too.
  main = next((n for n, of_metric in counts.items() if of_metric[0] in results.trials), _DEFAULT)
  rounds, parameters, _ = counts[main]
  pooled_test = metric_names.pooled_test(main)
  axes = list(results.axes)
  points = results.points(pooled_test)
  for name, metric in (('rounds', rounds), ('parameters', parameters)):
    reached = results.points(metric).rename(columns={'mean': name, 'n': f'{name}_n'})
    points = points.merge(reached[[*axes, name, f'{name}_n']], on=axes)
  reach = f'to {formats.metric_scale(pooled_test) * goal:g}{formats.unit(pooled_test)}'
  columns = (
    *(Column('', axis) for axis in axes),
    Column(reach, 'rounds'),
    Column(reach, 'parameters'),
    Column(reach, 'reached'),
    Column('', formats.metric_label(pooled_test)),
  )
  rows = tuple(
    (
      *(names.axis_value(axis, row[axis]) for axis in axes),
      formats.fixed(row['rounds'], 1),
      formats.count(row['parameters']),
      f'{row["rounds_n"]} of {row["n"]}',
      formats.metric_with_std(pooled_test, row['mean'], row['std']),
    )
    for _, row in points.iterrows()
  )
  note = 'Rounds and parameters are means over the seeds that reached the goal.'
  return Table(columns, rows, (note,))
