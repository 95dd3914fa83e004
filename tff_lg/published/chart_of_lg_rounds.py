"""LG-FedAvg's local and new test by rounds of its warm start, Liang et al. 2020, Tables 6 and 8."""

from collections.abc import Collection

from tff_lg.published.chart import ChartEntry, Point, register_chart
from tff_lg.published.table_of_lg_fedavg import LOCAL_TEST, NEW_TEST
from tff_lg.published.table_of_lg_rounds import CIFAR10_ROUNDS, LG_FEDAVG, MNIST_ROUNDS


def _register(data: str, label: str, of_lg: Collection[int], between: Collection[int]) -> None:
  """Registers a chart of tables `DATA_lg`, with two numbers of rounds, and `DATA_lg_rounds`."""
  table_of = dict.fromkeys(of_lg, f'{data}_lg') | dict.fromkeys(between, f'{data}_lg_rounds')
  register_chart(
    ChartEntry(
      name=f'{data}_by_rounds',
      label=f'LG-FedAvg on {label} by rounds of FedAvg before it',
      x='rounds of FedAvg, before 100 of LG-FedAvg',
      y='test accuracy (%)',
      lines={
        column: tuple(
          Point(str(rounds), table_of[rounds], LG_FEDAVG.format(rounds), column)
          for rounds in sorted(table_of)
        )
        for column in (LOCAL_TEST, NEW_TEST)
      },
    )
  )


_register('mnist', 'MNIST', (400, 800), MNIST_ROUNDS)
_register('cifar10', 'CIFAR-10', (1200, 1800), CIFAR10_ROUNDS)
