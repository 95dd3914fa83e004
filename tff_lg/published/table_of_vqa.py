"""Questions about pictures by how pictures are dealt to devices, Liang et al. 2020, Table 2."""

from collections.abc import Iterator

from tff_lg import metric_names
from tff_lg.published.read import from_summary, rounds_to
from tff_lg.published.table import Figure, Run, TableEntry, register

_METHODS = {'fedavg': 'FedAvg', 'lg_fedavg': 'LG-FedAvg'}
_DEALS = {
  'random': ('at random', ()),
  'alpha_0.9': ('by answers, Dirichlet(0.9)', ('--partition=dirichlet',)),
  'alpha_0.1': (
    'by answers, Dirichlet(0.1)',
    ('--partition=dirichlet', '--dirichlet_alpha=0.1'),
  ),
}
_GOALS = (0.4, 0.5)


def _row(deal: str, method: str) -> str:
  return f'{_METHODS[method]}, {_DEALS[deal][0]}'


def _figures(deal: str, method: str) -> Iterator[Figure]:
  run, row = f'{deal}_{method}', _row(deal, method)
  for goal in _GOALS:
    column = f'rounds to {100 * goal:g} %'
    yield Figure(row=row, column=column, read=rounds_to(run, goal), digits=1)
  yield Figure(
    row=row,
    column='parameters, 1e7',
    read=from_summary(run, metric_names.PARAMETERS_TO_ALL, 1e-7),
  )
  accuracy = metric_names.pooled_test('accuracy')
  yield Figure(row=row, column='accuracy', read=from_summary(run, accuracy))


register(
  TableEntry(
    name='vqa_shapes',
    label='Questions about generated pictures by how these are dealt',
    paper='Liang et al. 2020, Table 2, on photographs',
    cpu_minutes=5,
    seeds=(0, 1, 2, 3, 4),
    unit='Accuracy in percent of the pooled test questions, after 49 rounds',
    runs=tuple(
      Run(
        name=f'{deal}_{method}',
        flags=(
          '--flagfile={configs}/vqa.flags',
          f'--flagfile={{configs}}/vqa_{method}.flags',
          f'--goal_accuracy={",".join(map(str, _GOALS))}',
          *flags,
        ),
      )
      for deal, (_, flags) in _DEALS.items()
      for method in _METHODS
    ),
    figures=tuple(
      figure for deal in _DEALS for method in _METHODS for figure in _figures(deal, method)
    ),
    contrasts=tuple((_row(deal, 'lg_fedavg'), _row(deal, 'fedavg')) for deal in _DEALS),
    note='LG-FedAvg has 32 rounds of FedAvg and 17 of its own. The paper has 47 rounds of FedAvg '
    'to 40 % and 32 + 17 of LG-FedAvg. Pictures are generated: these figures have no counterpart. '
    'A dash is a target that a seed did not reach.',
  )
)
