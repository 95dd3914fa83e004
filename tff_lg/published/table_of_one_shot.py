"""One-shot averaging against FedAvg, McMahan et al. 2017 (arXiv:1602.05629), related work."""

from tff_lg import metric_names
from tff_lg.published.read import from_summary
from tff_lg.published.table import MNIST_FILES, Figure, Run, TableEntry, register

_EPOCHS = (1, 5, 20, 80)
# Partition -> its name, and the learning rates of one round and of FedAvg: the best by validation
# data, inside their grids. docs/RESULTS.md.
_PARTITIONS = {'iid': ('IID', 0.1, 0.2), 'shards': ('shards', 0.2, 0.1)}
_FEDAVG = 'FedAvg, 40 rounds of 10 clients, E = 5'
_TOGETHER = metric_names.pooled_test('accuracy')
# Of a client's own model on all other clients' test examples.
_ALONE = metric_names.mean(metric_names.others_test('accuracy'))


def _row(epochs: int) -> str:
  return f'One round of 100 clients, E = {epochs}'


def _run(name: str, partition: str, rate: float, *flags: str) -> Run:
  return Run(
    name=f'{partition}_{name}',
    flags=(
      '--flagfile={configs}/mnist_mcmahan_fedavg.flags',
      '--hidden_units=200,200',
      '--goal_accuracy=',
      f'--partition={partition}',
      f'--client_learning_rate={rate}',
      *flags,
    ),
  )


def _figures(partition: str, label: str) -> tuple[Figure, ...]:
  """Returns the accuracies of a column: those of means, then those of models alone."""
  rows = {_row(epochs): f'{partition}_{epochs}' for epochs in _EPOCHS}
  together = {**rows, _FEDAVG: f'{partition}_fedavg'}
  return (
    *(
      Figure(row=row, column=f'mean, {label}', read=from_summary(run, _TOGETHER))
      for row, run in together.items()
    ),
    *(
      Figure(
        row=row,
        column=f'alone, {label}',
        read=from_summary(run, _ALONE, baseline='local_only'),
      )
      for row, run in rows.items()
    ),
  )


register(
  TableEntry(
    name='mnist_one_shot',
    label='One-shot averaging and FedAvg on MNIST',
    paper='McMahan et al. 2017, related work, without figures',
    data=MNIST_FILES,
    cpu_minutes=8,
    unit='Percent of all test examples',
    runs=tuple(
      run
      for partition, (_, rate, rate_of_fedavg) in _PARTITIONS.items()
      for run in (
        *(
          _run(
            str(epochs),
            partition,
            rate,
            '--rounds=1',
            '--clients_per_round=100',
            f'--client_epochs={epochs}',
            '--baselines=local_only',
            '--local_budget=cohort',
            '--score_on_others',
          )
          for epochs in _EPOCHS
        ),
        _run('fedavg', partition, rate_of_fedavg, '--rounds=40', '--evaluate_every=5'),
      )
    ),
    figures=tuple(
      figure
      for partition, (label, *_) in _PARTITIONS.items()
      for figure in _figures(partition, label)
    ),
    contrasts=((_FEDAVG, _row(20)),),
    note='In all, 40 rounds of FedAvg train each client for 20 epochs on average. *Alone* is the '
    "mean over clients of a client's own model, on the test examples of all others.",
  )
)
