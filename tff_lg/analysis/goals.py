"""When a run and its baselines first reached the accuracies of --goal_accuracy."""

from tff_lg import metric_names
from tff_lg.analysis import formats, names
from tff_lg.analysis.run_folder import RunFolder


def goal_sentences(run: RunFolder) -> tuple[str, ...]:
  """Says for each goal what it took the run, and then each of its baselines.

  Args:
    run: the run.

  Returns:
    A sentence a goal, such as '97 % pooled local test accuracy: FedAvg after 12.5 rounds
    (1,000 parameters, 4.0 kB); FedSGD not reached.'
  """
  return tuple(
    f'{formats.metric_scale(run.local_test) * goal:g}{formats.unit(run.local_test)} pooled local '
    f'test {run.metric.label}: '
    + '; '.join(_reached(one, goal) for one in (run, *run.baselines.values()))
    + '.'
    for goal in run.hparams.get('goal_accuracy') or ()
  )


def _reached(run: RunFolder, goal: float) -> str:
  rounds, parameters, num_bytes = map(run.value, metric_names.to_goal(goal, run.metric.name))
  text = formats.fixed(rounds, 1)
  if text == formats.MISSING:
    return f'{names.method_name(run.method)} not reached'
  return (
    f'{names.method_name(run.method)} after {text} rounds ({formats.count(parameters)} '
    f'parameters, {formats.num_bytes(num_bytes)})'
  )
