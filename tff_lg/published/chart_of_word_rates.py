"""Accuracy on words by clients' learning rate, Yu et al. 2020, hyperparameters."""

from tff_lg.published.chart import ChartEntry, Point, register_chart
from tff_lg.published.table import TABLES
from tff_lg.published.table_of_word_rates import LOCAL_TEST, RATES, TABLE, name_row

register_chart(
  ChartEntry(
    name='words_by_rate',
    label=TABLES[TABLE].label,
    x="clients' learning rate",
    y='local test accuracy (%)',
    lines={
      'FedAvg': tuple(Point(f'{rate:g}', TABLE, name_row(rate), LOCAL_TEST) for rate in RATES)
    },
    methods=('fedavg',),
  )
)
