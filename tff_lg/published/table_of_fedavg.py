"""Tables of McMahan et al. 2017, Communication-Efficient Learning (arXiv:1602.05629)."""

from collections.abc import Iterator
from typing import NamedTuple

from tff_lg.published.read import quotient, rounds_to
from tff_lg.published.table import MNIST_FILES, SHAKESPEARE_ROLES, Figure, Run, TableEntry, register

_GOALS = (0.93, 0.95, 0.97)


class _Deal(NamedTuple):
  """How MNIST is dealt, and the runs: rates are the best by validation data, inside their grids."""

  name: str
  label: str
  paper: str
  published: float
  spread: float
  partition: str
  fedavg: tuple[str, ...]


_FEDSGD = ('--rounds=1500', '--evaluate_every=20', '--client_learning_rate=0.4')
# A run ends once validation data are beyond the last goal.
_UNTIL = '--rounds_until=validation/accuracy/pooled>=0.973'
_MNIST = (
  _Deal(
    name='mnist_fedavg',
    label='IID MNIST',
    paper='35 to 46 times fewer rounds',
    # To 97 % with a perceptron and to 99 % with a CNN.
    published=40.5,
    spread=5.5,
    partition='iid',
    fedavg=('--rounds=40', '--client_learning_rate=0.2'),
  ),
  _Deal(
    name='mnist_fedavg_shards',
    label='MNIST, two shards per client',
    paper='2.8 to 3.7 times fewer rounds',
    published=3.25,
    spread=0.45,
    partition='shards',
    fedavg=('--rounds=400', '--client_learning_rate=0.1'),
  ),
)


def _figures(goal: float, deal: _Deal) -> tuple[Figure, ...]:
  row = f'{100 * goal:g} %'
  fedsgd, fedavg = (rounds_to(name, goal) for name in ('fedsgd', 'fedavg'))
  return (
    Figure(row=row, column='FedSGD', read=fedsgd, digits=1),
    Figure(row=row, column='FedAvg', read=fedavg, digits=1),
    Figure(
      row=row,
      column='times fewer',
      read=quotient(fedsgd, fedavg),
      published=deal.published if goal == _GOALS[-1] else None,
      spread=deal.spread,
      digits=1,
    ),
  )


for _deal in _MNIST:
  register(
    TableEntry(
      name=_deal.name,
      label=f'Rounds of FedAvg and FedSGD on {_deal.label}',
      paper=f'McMahan et al. 2017, {_deal.paper}',
      data=MNIST_FILES,
      cpu_minutes=8,
      unit="Rounds until the clients' pooled test accuracy first reaches the row's",
      runs=tuple(
        Run(
          name=method,
          flags=(
            f'--flagfile={{configs}}/mnist_mcmahan_{method}.flags',
            f'--partition={_deal.partition}',
            *flags,
            f'--goal_accuracy={",".join(map(str, _GOALS))}',
            _UNTIL,
          ),
        )
        for method, flags in (('fedsgd', _FEDSGD), ('fedavg', _deal.fedavg))
      ),
      figures=tuple(figure for goal in _GOALS for figure in _figures(goal, _deal)),
      note='FedAvg has E = 5 and B = 10. Each method has its best learning rate by validation '
      'data.',
    )
  )

_ROLE_GOALS = (0.3, 0.4)
_ROLES = {
  'all': ('all roles', ()),
  'large': ('100 roles with 40 lines or more', ('--min_lines=40', '--max_users=100')),
}
_DEALS = {'natural': '', 'natural_iid': ', dealt IID'}
# The best by validation data, inside their grids. On large roles, FedSGD has that of all roles.
_ROLE_RATES = {
  ('all', 'fedsgd'): 6,
  ('all', 'fedavg'): 10,
  ('large', 'fedsgd'): 6,
  ('large', 'fedavg'): 6,
}
# Rounds at most: a run ends once validation data are beyond the last goal.
_OF_ROLES = {
  'fedsgd': (
    '--method=fedsgd',
    '--rounds=5000',
    '--evaluate_every=50',
    '--checkpoint_every=200',
  ),
  'fedavg': ('--rounds=400', '--evaluate_every=5'),
}


def _row(roles: str, deal: str) -> str:
  return f'{_ROLES[roles][0]}{_DEALS[deal]}'


def _of_roles(roles: str, deal: str) -> Iterator[Figure]:
  for goal in _ROLE_GOALS:
    fedsgd, fedavg = (rounds_to(f'{roles}_{deal}_{each}', goal) for each in _OF_ROLES)
    reads = {'FedSGD': fedsgd, 'FedAvg': fedavg, 'times fewer': quotient(fedsgd, fedavg)}
    for label, read in reads.items():
      yield Figure(row=_row(roles, deal), column=f'{label}, {100 * goal:g} %', read=read, digits=1)


register(
  TableEntry(
    name='shakespeare_roles',
    label="Rounds of FedAvg and FedSGD to the next character of Shakespeare's roles",
    paper='McMahan et al. 2017, Table 2',
    data=SHAKESPEARE_ROLES,
    cpu_minutes=25,
    seeds=(0, 1, 2, 3, 4),
    unit="Rounds until the clients' pooled test accuracy first reaches the column's",
    runs=tuple(
      Run(
        name=f'{roles}_{deal}_{method}',
        flags=(
          '--flagfile={configs}/shakespeare_chars.flags',
          '--sequence_length=40',
          '--lstm_units=64',
          '--clients_per_round=10',
          f'--goal_accuracy={",".join(map(str, _ROLE_GOALS))}',
          f'--rounds_until=validation/accuracy/pooled>={_ROLE_GOALS[-1] + 0.01:g}',
          f'--partition={deal}',
          *flags,
          f'--client_learning_rate={_ROLE_RATES[roles, method]}',
          *_OF_ROLES[method],
        ),
      )
      for roles, (_, flags) in _ROLES.items()
      for deal in _DEALS
      for method in _OF_ROLES
    ),
    figures=tuple(
      figure for roles in _ROLES for deal in _DEALS for figure in _of_roles(roles, deal)
    ),
    contrasts=tuple((_row(roles, 'natural'), _row(roles, 'natural_iid')) for roles in _ROLES),
    note='FedAvg has E = 1 and B = 10. On its 1,146 roles, the paper has 95 times fewer rounds to '
    '54 %, and 13 times fewer on IID data. It has E = 5, an LSTM of 2 x 256 and a tenth of the '
    'roles per round.',
  )
)
