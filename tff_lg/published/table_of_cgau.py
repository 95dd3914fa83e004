"""Experiment II of Rieger et al. 2020: cost and gain of conditioning on images."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tff_lg import metric_names
from tff_lg.published.read import from_summary
from tff_lg.published.table import Figure, Run, TableEntry, register

if TYPE_CHECKING:  # pandas takes a second to import.
  from tff_lg.analysis import RunFolder

_MODELS = {
  'dense': 'dense',
  'gated': 'gated, without clients',
  'cgau_shared': 'CGAU, shifts in the model',
  'cgau_local': 'CGAU, shifts with the clients',
}
_SHARES = ('0', '1')


def _extra_time(model: str) -> Figure:
  def read(runs: Mapping[str, 'RunFolder']) -> float:
    seconds, dense = (
      float(runs[f'{name}_0'].timing['rounds_seconds']) for name in (model, 'dense')
    )
    return 100 * (seconds / dense - 1)

  return Figure(
    row=_MODELS[model],
    column='more time per round (%)',
    read=read,
    published=85.0 if model == 'cgau_shared' else None,
    spread=5.0,
    digits=0,
  )


register(
  TableEntry(
    name='cgau_images',
    label='Conditional gated activation units on embedded images',
    paper='Rieger et al. 2020, Experiment II',
    data='the embeddings of CIFAR-10, which `python -m pipelines.embed` makes',
    cpu_minutes=14,
    seeds=(0, 1, 2, 3, 4),
    runs=tuple(
      Run(
        name=f'{model}_{share}',
        flags=(
          '--flagfile={configs}/cgau_images.flags',
          '--embeddings={data}',
          f'--model={model}',
          f'--shuffled_share={share}',
        ),
      )
      for model in _MODELS
      for share in _SHARES
    ),
    figures=(
      *(
        Figure(
          row=label,
          column=f'accuracy, p = {share}',
          read=from_summary(f'{model}_{share}', metric_names.pooled_test('accuracy')),
          published={'dense': 78.0, 'cgau_shared': 78.5}.get(model) if share == '1' else None,
          spread=0.5,
        )
        for model, label in _MODELS.items()
        for share in _SHARES
      ),
      *(_extra_time(model) for model in _MODELS if model != 'dense'),
    ),
    contrasts=tuple((label, _MODELS['dense']) for label in list(_MODELS.values())[1:]),
    note='Accuracy is over all test examples pooled, each predicted by the model of its own '
    'client. Time is that of rounds with their evaluations.',
  )
)
