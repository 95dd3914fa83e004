"""Accuracy by classes per device, Liang et al. 2020, sensitivity tables and Figure 2c."""

from tff_lg.published.chart import ChartEntry, Point, register_chart
from tff_lg.published.table_of_classes import BY_CLASSES, name_row
from tff_lg.published.table_of_lg_fedavg import ALONE, LOCAL_TEST

# Method -> its name in tables of several classes, and its row in that of two.
_METHODS = {
  'local_only': ('local learning', ALONE),
  'fedavg': ('FedAvg', 'FedAvg, {} rounds'),
  'lg_fedavg': ('LG-FedAvg', 'LG-FedAvg, {} + 100 rounds'),
}

for _data, _label, _rounds, _table in (
  ('mnist', 'MNIST', 800, 'mnist_classes'),
  ('cifar10', 'CIFAR-10', 1800, 'cifar10_classes_{}'),
):
  register_chart(
    ChartEntry(
      name=f'{_data}_by_classes',
      label=f'Accuracy on {_label} by classes per device',
      x='classes per device (10: IID)',
      y='local test accuracy (%)',
      lines={
        _row: (
          Point('2', f'{_data}_lg', _of_two.format(_rounds), LOCAL_TEST),
          *(
            Point(_number, _table.format(_number), name_row(_number, _row), LOCAL_TEST)
            for _number in BY_CLASSES
          ),
        )
        for _row, _of_two in _METHODS.values()
      },
      methods=tuple(_METHODS),
    )
  )
