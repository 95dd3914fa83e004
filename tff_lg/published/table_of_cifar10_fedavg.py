"""FedAvg on CIFAR-10 by network and deal, McMahan et al. 2017 (arXiv:1602.05629)."""

from collections.abc import Iterator

from tff_lg import metric_names
from tff_lg.published.read import from_summary, rounds_to
from tff_lg.published.table import CIFAR10_FILES, Figure, Run, TableEntry, register

_NETWORKS = {'lenet': 'LeNet-5', 'group_norm_lenet': 'LeNet-5 with group normalisation'}
_DEALS = {'iid': 'IID', 'shards': 'two shards per client'}
_ROUNDS, _GOAL = 200, 0.4


def _row(network: str, deal: str) -> str:
  return f'{_NETWORKS[network]}, {_DEALS[deal]}'


def _figures(network: str, deal: str) -> Iterator[Figure]:
  run, row = f'{network}_{deal}', _row(network, deal)
  accuracy = metric_names.pooled_test('accuracy')
  yield Figure(row=row, column='accuracy', read=from_summary(run, accuracy))
  yield Figure(row=row, column=f'rounds to {100 * _GOAL:g} %', read=rounds_to(run, _GOAL), digits=0)
  rate = from_summary(run, metric_names.TUNED_LEARNING_RATE, 1)
  yield Figure(row=row, column='learning rate', read=rate, digits=3)


register(
  TableEntry(
    name='cifar10_fedavg',
    label='FedAvg on CIFAR-10 by network and deal',
    paper='McMahan et al. 2017, CIFAR-10, without figures for these networks',
    data=CIFAR10_FILES,
    # A run of 200 rounds takes two CPU minutes; there are three or four rates.
    cpu_minutes=31,
    unit=f"Percent of the clients' pooled test examples after {_ROUNDS} rounds",
    runs=tuple(
      Run(
        name=f'{network}_{deal}',
        flags=(
          *('--task=cifar10', f'--model={network}', '--num_clients=100', f'--partition={deal}'),
          *('--method=fedavg', '--baselines=', '--clients_per_round=10', '--client_epochs=1'),
          *('--batch_size=50', f'--rounds={_ROUNDS}', '--evaluate_every=10'),
          *('--client_learning_rate=0.1', '--tune=validation', f'--goal_accuracy={_GOAL}'),
        ),
      )
      for network in _NETWORKS
      for deal in _DEALS
    ),
    figures=tuple(
      figure for network in _NETWORKS for deal in _DEALS for figure in _figures(network, deal)
    ),
    contrasts=(
      *((_row(network, 'iid'), _row(network, 'shards')) for network in _NETWORKS),
      *((_row('group_norm_lenet', deal), _row('lenet', deal)) for deal in _DEALS),
    ),
    note='FedAvg has E = 1 and B = 50, and its best learning rate by validation data, a whole run '
    'each.',
  )
)
