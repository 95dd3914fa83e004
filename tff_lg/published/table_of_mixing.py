"""Loss of mixtures of two models that were trained apart, McMahan et al. 2017, Figure 1."""

from tff_lg.published.read import from_summary
from tff_lg.published.table import MNIST_FILES, Figure, Run, TableEntry, register

_RUN = 'mixing'
_STARTS = ('shared', 'independent')
_MEAN, _BETTER = 'The mean of both models', 'The better of both models'
_ROWS = {_MEAN: 'mean_of_both', _BETTER: 'better_alone'}
_FIGURES = tuple(
  Figure(
    row=row,
    column=f'{start} initial weights',
    read=from_summary(_RUN, f'{start}/loss/{key}', 1),
    digits=3,
  )
  for row, key in _ROWS.items()
  for start in _STARTS
)

for _name, _label, _data, _minutes, _note in (
  ('digits_mixing', 'digits', '', 0.3, 'Each model has 200 examples.'),
  (
    'mnist_mixing',
    'MNIST',
    MNIST_FILES,
    1,
    'Each model has 600 examples. The paper has curves without numbers. Its mean has a lower loss '
    'than both models from shared initial weights, and a far greater one from independent ones.',
  ),
):
  register(
    TableEntry(
      name=_name,
      label=f'Mixtures of two models that were trained apart on {_label}',
      paper='McMahan et al. 2017, Figure 1, on MNIST' if _data else '',
      data=_data,
      cpu_minutes=_minutes,
      seeds=(0, 1, 2, 3, 4),
      unit='Loss over all training examples',
      runs=(Run(name=_RUN, pipeline='mixing', flags=()),),
      figures=_FIGURES,
      contrasts=((_MEAN, _BETTER),),
      note=_note,
    )
  )
