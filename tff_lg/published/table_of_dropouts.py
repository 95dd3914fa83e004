"""Rounds of FedAvg while sampled clients drop out, or finish only a part of their steps.

McMahan et al. 2017 (arXiv:1602.05629) expect both. Li et al. 2020 (FedProx) count partial work.
"""

from tff_lg.published.read import rounds_to
from tff_lg.published.table import MNIST_FILES, Figure, Run, TableEntry, register

_GOAL = 0.97
_FEDAVG = (
  '--flagfile={configs}/mnist_mcmahan_fedavg.flags',
  *('--hidden_units=200,200', '--client_epochs=1'),
  f'--goal_accuracy={_GOAL}',
  # A run ends once validation data are beyond the goal.
  '--rounds_until=validation/accuracy/pooled>=0.973',
)
# Partition -> its label, and flags; a client alone can be the cohort of a round.
_PARTITIONS = {
  'iid': ('IID', ('--client_learning_rate=0.2', '--rounds=1000')),
  'shards': (
    'shards',
    ('--client_learning_rate=0.1', '--rounds=4000', '--evaluate_every=5'),
  ),
}
_ALL, _DROPPED, _PARTIAL = 'No client fails', '90 % drop out', '90 % finish a part'
_TROUBLE = {
  _ALL: ('all', ()),
  '50 % drop out': ('dropout_50', ('--client_dropout_rate=0.5',)),
  _DROPPED: ('dropout_90', ('--client_dropout_rate=0.9',)),
  '50 % finish a part': ('part_50', ('--straggler_rate=0.5',)),
  _PARTIAL: ('part_90', ('--straggler_rate=0.9',)),
}

register(
  TableEntry(
    name='mnist_dropouts',
    label='Rounds of FedAvg on MNIST by clients that drop out or finish a part',
    data=MNIST_FILES,
    cpu_minutes=8,
    unit="Rounds until the clients' pooled test accuracy first reaches 97 %",
    runs=tuple(
      Run(
        name=f'{partition}_{name}',
        flags=(*_FEDAVG, f'--partition={partition}', *of_partition, *of_trouble),
      )
      for partition, (_, of_partition) in _PARTITIONS.items()
      for name, of_trouble in _TROUBLE.values()
    ),
    figures=tuple(
      Figure(row=row, column=column, read=rounds_to(f'{partition}_{name}', _GOAL), digits=1)
      for row, (name, _) in _TROUBLE.items()
      for partition, (column, _) in _PARTITIONS.items()
    ),
    contrasts=(
      *((row, _ALL) for row in _TROUBLE if row != _ALL),
      (_PARTIAL, _DROPPED),
    ),
    note='10 of 100 clients are sampled for a round, with E = 1 and B = 10. Clients that finish a '
    'part count with all their examples. The learning rate is 0.2 for IID data, 0.1 for shards.',
  )
)
