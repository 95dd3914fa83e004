"""Auxiliary losses and gradient norms as weights, first version of Liang et al. 2020, section 3."""

from tff_lg import metric_names
from tff_lg.published.read import from_summary, rounds_to
from tff_lg.published.table import MNIST_FILES, Figure, Run, TableEntry, register

_PLAIN, _GRADIENT_NORM = 'plain', 'gradient_norm'
# Runs -> rows, and flags beside those that all runs have.
_RUNS = {
  _PLAIN: ('LG-FedAvg', ()),
  **{
    name: (f'LG-FedAvg, {name} loss', (f'--auxiliary={name}',))
    for name in ('supervised', 'autoencoder', 'jigsaw')
  },
  _GRADIENT_NORM: (
    'LG-FedAvg, weighted by squared gradient norms',
    (f'--client_weighting={_GRADIENT_NORM}',),
  ),
}
_GOALS = (0.9, 0.95)
_ACCURACIES = {
  'local test': metric_names.mean(metric_names.LOCAL_ACCURACY),
  'new test': metric_names.new_test('accuracy', 'ensemble_probability'),
}

register(
  TableEntry(
    name='mnist_auxiliary',
    label='LG-FedAvg on MNIST with auxiliary losses, and weighted by gradient norms',
    paper='Liang et al. 2020, first version, section 3',
    data=MNIST_FILES,
    cpu_minutes=18,
    unit='Accuracies in percent after 400 + 50 rounds, and rounds of FedAvg before LG-FedAvg',
    runs=tuple(
      Run(
        name=name,
        flags=(
          '--flagfile={configs}/mnist_classes.flags',
          '--flagfile={configs}/mnist_classes_lg_400.flags',
          '--classes_per_client=2',
          '--rounds=50',
          f'--goal_accuracy={",".join(map(str, _GOALS))}',
          *flags,
        ),
      )
      for name, (_, flags) in _RUNS.items()
    ),
    figures=tuple(
      figure
      for name, (row, _) in _RUNS.items()
      for figure in (
        *(
          Figure(row=row, column=column, read=from_summary(name, key))
          for column, key in _ACCURACIES.items()
        ),
        # Those with an auxiliary loss have the rounds of FedAvg of the first row.
        *(
          Figure(
            row=row, column=f'rounds to {100 * goal:g} %', read=rounds_to(name, goal), digits=1
          )
          for goal in _GOALS
          if name in (_PLAIN, _GRADIENT_NORM)
        ),
      )
    ),
    contrasts=tuple((row, _RUNS[_PLAIN][0]) for name, (row, _) in _RUNS.items() if name != _PLAIN),
    note='The weight of the global loss, lambda, is 1. The paper has one figure for all of this, '
    '98.66 and 97.81, in the table `mnist_ensembles`; it does not state which of these it used.',
  )
)
