"""Mood from typed text by the share of local layers, Liang et al. 2020, Figure 2d."""

from tff_lg import metric_names
from tff_lg.published.chart import ChartEntry, Point, register_chart
from tff_lg.published.read import from_best_run
from tff_lg.published.table import Figure, Run, TableEntry, register

_ALPHAS = ('0', '0.2', '0.4', '0.6', '0.8', '1')
# Trainings of each repeat, of which validation data choose one: other initial weights and cohorts.
_TRAININGS = 5
_ACCURACY = 'accuracy'


def _runs(alpha: str) -> tuple[str, ...]:
  return tuple(f'alpha_{alpha}_training_{number}' for number in range(_TRAININGS))


def _row(alpha: str) -> str:
  return f'alpha = {alpha}'


register(
  TableEntry(
    name='mood',
    label='Mood from generated text by the share of local layers, as published',
    paper='Liang et al. 2020, Figure 2d, on private data',
    cpu_minutes=20,
    seeds=tuple(range(10)),
    unit='Percent of the pooled test texts',
    runs=tuple(
      Run(
        name=name,
        flags=(
          '--flagfile={configs}/mood_adam.flags',
          f'--local_layer_share={alpha}',
          '--partition_seed={seed}',
          # A share of 1 is local learning, which has as many rounds as the others.
          '--local_budget=cohort',
        ),
        seed_offset=1000 * number,
      )
      for alpha in _ALPHAS
      for number, name in enumerate(_runs(alpha))
    ),
    figures=tuple(
      Figure(
        row=_row(alpha),
        column=_ACCURACY,
        read=from_best_run(
          _runs(alpha),
          metric_names.pooled_test('accuracy'),
          by=metric_names.mean(metric_names.validation('loss')),
        ),
      )
      for alpha in _ALPHAS
    ),
    note='The best of five trainings by the validation loss. The data are generated: the figures '
    "of the paper's users have no counterpart.",
    contrasts=((_row('0'), _row('1')),),
  )
)

register_chart(
  ChartEntry(
    name='mood_by_share',
    label='Mood from generated text by the share of local layers',
    x='alpha, the share of layers that are local',
    y='pooled test accuracy (%)',
    lines={'LG-FedAvg': tuple(Point(alpha, 'mood', _row(alpha), _ACCURACY) for alpha in _ALPHAS)},
  )
)
