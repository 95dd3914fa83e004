"""LG-FedAvg's local and new test by rounds of its warm start, Liang et al. 2020, Table 6."""

from tff_lg.published.chart import ChartEntry, Point, register_chart
from tff_lg.published.table_of_lg_fedavg import LOCAL_TEST, NEW_TEST
from tff_lg.published.table_of_lg_rounds import LG_FEDAVG, MNIST_ROUNDS

_TABLES = {
  400: 'mnist_lg',
  **dict.fromkeys(MNIST_ROUNDS, 'mnist_lg_rounds'),
  800: 'mnist_lg',
}

register_chart(
  ChartEntry(
    name='mnist_by_rounds',
    label='LG-FedAvg on MNIST by rounds of FedAvg before it',
    x='rounds of FedAvg, before 100 of LG-FedAvg',
    y='test accuracy (%)',
    lines={
      column: tuple(
        Point(str(rounds), table, LG_FEDAVG.format(rounds), column)
        for rounds, table in _TABLES.items()
      )
      for column in (LOCAL_TEST, NEW_TEST)
    },
  )
)
