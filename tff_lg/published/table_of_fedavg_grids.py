"""Grids of McMahan et al. 2017 (arXiv:1602.05629): clients per round, local epochs and batches."""

from tff_lg import metric_names
from tff_lg.published.read import from_summary
from tff_lg.published.table import Figure, Run, TableEntry, register

_MNIST = 'the folder with the four idx files of MNIST'
_PARTITIONS = {'iid': 'IID', 'shards': 'shards'}
# Clients per round -> the paper's rounds to 97 % with B = 10, IID and non-IID.
_CLIENTS = {1: (316, 3275), 10: (87, 664), 20: (77, 619), 50: (75, 443), 100: (70, 380)}
# Learning rates of ours, and rounds at most. A run ends once validation data are beyond the goal.
_OF_PARTITION = {
  'iid': ('--client_learning_rate=0.2', '--rounds=600'),
  'shards': ('--client_learning_rate=0.05', '--rounds=3500'),
}
# (E, B), None for all of a client's examples -> the paper's rounds to 99 % on IID data with a CNN.
_WORK: dict[tuple[int, int | None], int] = {
  (1, None): 626,
  (5, None): 179,
  (1, 50): 65,
  (20, None): 234,
  (1, 10): 34,
  (5, 50): 29,
  (20, 50): 32,
  (5, 10): 20,
  (20, 10): 18,
}
# A single published run may be off by a tenth.
_OFF = 0.1


def _rounds_to(run: str, row: str, column: str, goal: float, published: float) -> Figure:
  rounds, *_ = metric_names.to_goal(goal)
  return Figure(
    row=row,
    column=column,
    read=from_summary(run, rounds, 1),
    published=published,
    spread=_OFF * published,
    digits=0,
  )


register(
  TableEntry(
    name='mnist_fedavg_clients',
    label='Rounds of FedAvg on MNIST by clients per round',
    paper='McMahan et al. 2017, Table 1, perceptron 784-200-200-10, E = 1, B = 10',
    data=_MNIST,
    cpu_minutes=65,
    unit="Rounds until the clients' pooled test accuracy first reaches 97 %",
    runs=tuple(
      Run(
        name=f'{partition}_{number}',
        flags=(
          '--flagfile={configs}/mnist_mcmahan_fedavg.flags',
          '--hidden_units=200,200',
          '--client_epochs=1',
          '--goal_accuracy=0.97',
          '--rounds_until=validation/accuracy/pooled>=0.971',
          f'--partition={partition}',
          f'--clients_per_round={number}',
          *_OF_PARTITION[partition],
        ),
      )
      for partition in _PARTITIONS
      for number in _CLIENTS
    ),
    figures=tuple(
      _rounds_to(f'{partition}_{number}', f'{number} of 100 clients', label, 0.97, rounds)
      for number, published in _CLIENTS.items()
      for (partition, label), rounds in zip(_PARTITIONS.items(), published, strict=True)
    ),
    note='The paper tunes the learning rate of each cell by test rounds. Here it is 0.2 for IID '
    'data and 0.05 for shards. A dash is a target that was not reached.',
  )
)

register(
  TableEntry(
    name='mnist_fedavg_work',
    label='Rounds of FedAvg on IID MNIST by local epochs and batch size',
    paper='McMahan et al. 2017, Table 2, CNN, C = 0.1',
    data=_MNIST,
    # By the time of an epoch of ten clients: 29 CPU seconds.
    cpu_minutes=3600,
    unit="Rounds until the clients' pooled test accuracy first reaches 99 %",
    runs=tuple(
      Run(
        name=f'epochs_{epochs}_batch_{batch or "all"}',
        flags=(
          '--flagfile={configs}/mnist_mcmahan_fedavg.flags',
          '--model=cnn',
          '--goal_accuracy=0.99',
          '--rounds_until=validation/accuracy/pooled>=0.991',
          f'--client_epochs={epochs}',
          # No client has more than 600 examples.
          f'--batch_size={batch or 600}',
          f'--client_learning_rate={0.1 if batch else 0.2}',
          f'--rounds={4 * rounds}',
        ),
      )
      for (epochs, batch), rounds in _WORK.items()
    ),
    figures=tuple(
      _rounds_to(
        f'epochs_{epochs}_batch_{batch or "all"}',
        f'E = {epochs}, B = {batch or "all"}',
        'rounds',
        0.99,
        rounds,
      )
      for (epochs, batch), rounds in _WORK.items()
    ),
    note='E = 1 with all examples in one batch is FedSGD. Learning rates are 0.1, and 0.2 for '
    'batches of all examples; the paper tunes each by test rounds.',
  )
)
