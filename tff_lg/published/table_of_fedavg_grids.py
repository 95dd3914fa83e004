"""Grids of McMahan et al. 2017 (arXiv:1602.05629): clients per round, local epochs and batches."""

from collections.abc import Mapping

from tff_lg.published.chart import ChartEntry, Point, register_chart
from tff_lg.published.read import rounds_to
from tff_lg.published.table import MNIST_FILES, Figure, Run, TableEntry, register

_BY_CLIENTS = 'mnist_fedavg_clients'
_PARTITIONS = {'iid': 'IID', 'shards': 'shards'}
# Clients per round -> the paper's rounds to 97 % with B = 10, IID and non-IID.
_CLIENTS = {1: (316, 3275), 10: (87, 664), 20: (77, 619), 50: (75, 443), 100: (70, 380)}
# Learning rates of ours, and rounds at most. A run ends once validation data are beyond the goal.
_OF_PARTITION = {
  'iid': ('--client_learning_rate=0.2', '--rounds=600'),
  'shards': ('--client_learning_rate=0.05', '--rounds=3500'),
}
# B, None for all of a client's examples -> E -> the paper's rounds to 99 % on IID data with a CNN.
_WORK: Mapping[int | None, Mapping[int, int]] = {
  None: {1: 626, 5: 179, 20: 234},
  50: {1: 65, 5: 29, 20: 32},
  10: {1: 34, 5: 20, 20: 18},
}
# A single published run may be off by a tenth.
_OFF = 0.1


def _clients(number: int) -> str:
  return f'{number} of 100 clients'


def _rounds_to(run: str, row: str, column: str, goal: float, published: float) -> Figure:
  return Figure(
    row=row,
    column=column,
    read=rounds_to(run, goal),
    published=published,
    spread=_OFF * published,
    digits=0,
  )


register(
  TableEntry(
    name=_BY_CLIENTS,
    label='Rounds of FedAvg on MNIST by clients per round',
    paper='McMahan et al. 2017, Table 1, perceptron 784-200-200-10, E = 1, B = 10',
    data=MNIST_FILES,
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
      _rounds_to(f'{partition}_{number}', _clients(number), label, 0.97, rounds)
      for number, published in _CLIENTS.items()
      for (partition, label), rounds in zip(_PARTITIONS.items(), published, strict=True)
    ),
    note='The paper tunes the learning rate of each cell by test rounds. Here it is 0.2 for IID '
    'data and 0.05 for shards. A dash is a target that was not reached.',
  )
)
register_chart(
  ChartEntry(
    name='mnist_rounds_by_clients',
    label='Rounds of FedAvg to 97 % on MNIST by clients per round',
    x='clients per round, of 100',
    y='rounds to 97 %',
    lines={
      label: tuple(Point(str(number), _BY_CLIENTS, _clients(number), label) for number in _CLIENTS)
      for label in _PARTITIONS.values()
    },
    is_log=True,
  )
)


def _name(epochs: int, batch: int | None) -> str:
  return f'epochs_{epochs}_batch_{batch or "all"}'


def _register_work(
  name: str,
  label: str,
  batch: int | None,
  rounds: Mapping[int, int],
  rate: float,
  cpu_minutes: float,
  *flags: str,
  times: int = 4,
) -> None:
  """Registers a table of one batch size B.

  Args:
    name: of the table.
    label: of the table.
    batch: B, or None for all of a client's examples.
    rounds: the paper's, by the local epochs E.
    rate: the learning rate of ours.
    cpu_minutes: of a seed.
    *flags: of all runs.
    times: the most rounds of ours, as a multiple of the paper's.
  """
  names = {epochs: _name(epochs, batch) for epochs in rounds}
  register(
    TableEntry(
      name=name,
      label=label,
      paper='McMahan et al. 2017, Table 2, CNN, C = 0.1',
      data=MNIST_FILES,
      cpu_minutes=cpu_minutes,
      unit="Rounds until the clients' pooled test accuracy first reaches 99 %",
      runs=tuple(
        Run(
          name=names[epochs],
          flags=(
            '--flagfile={configs}/mnist_mcmahan_fedavg.flags',
            '--model=cnn',
            '--goal_accuracy=0.99',
            '--rounds_until=goal_accuracy',
            f'--client_epochs={epochs}',
            # No client has more than 600 examples.
            f'--batch_size={batch or 600}',
            # docs/RESULTS.md says why.
            f'--client_learning_rate={rate:g}',
            f'--rounds={times * published}',
            *flags,
          ),
        )
        for epochs, published in rounds.items()
      ),
      figures=tuple(
        _rounds_to(names[epochs], f'E = {epochs}, B = {batch or "all"}', 'rounds', 0.99, published)
        for epochs, published in rounds.items()
      ),
      note=f'The learning rate is {rate:g}; the paper tunes that of each row by test rounds.',
    )
  )


_register_work(
  'mnist_fedavg_batch_10',
  'Rounds of FedAvg on IID MNIST by local epochs, batches of 10',
  10,
  _WORK[10],
  0.2,
  45,
)
# Of other batch sizes each number of epochs has its own table, for some take hours. A run
# ends after `_times` the published rounds at the latest.
for _batch, _epochs, _times, _label, _rate, _minutes, *_flags in (
  (50, 1, 4, 'FedAvg with 1 epoch, batches of 50,', 0.3, 10),
  (50, 5, 4, 'FedAvg with 5 epochs, batches of 50,', 0.3, 25),
  (50, 20, 2, 'FedAvg with 20 epochs, batches of 50,', 0.3, 45),
  # FedSGD takes hundreds of rounds, so only every fifth is evaluated.
  (None, 1, 4, 'FedSGD', 0.1, 105, '--evaluate_every=5'),
  (None, 5, 4, 'FedAvg with 5 epochs, full batches,', 0.2, 120),
  (None, 20, 2, 'FedAvg with 20 epochs, full batches,', 0.2, 300),
):
  _register_work(
    f'mnist_fedavg_{_name(_epochs, _batch)}',
    f'Rounds of {_label} on IID MNIST with a CNN',
    _batch,
    {_epochs: _WORK[_batch][_epochs]},
    _rate,
    _minutes,
    *_flags,
    times=_times,
  )
