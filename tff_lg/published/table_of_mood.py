"""Mood from typed text by the share of local layers, Liang et al. 2020, Figure 2d."""

from tff_lg import metric_names
from tff_lg.published.read import from_best_run
from tff_lg.published.table import Figure, Run, TableEntry, register

_ALPHAS = ('0', '0.2', '0.4', '0.6', '0.8', '1')
# Trainings of each repeat, of which validation data choose one: other initial weights and cohorts.
_TRAININGS = 5


def _runs(alpha: str) -> tuple[str, ...]:
  return tuple(f'alpha_{alpha}_training_{number}' for number in range(_TRAININGS))


register(
  TableEntry(
    name='mood',
    label='Mood from generated text by the share of local layers, as published',
    paper='Liang et al. 2020, Figure 2d, on private data',
    cpu_minutes=34,
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
        row=f'alpha = {alpha}',
        column='accuracy',
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
    contrasts=(('alpha = 0', 'alpha = 1'),),
  )
)
