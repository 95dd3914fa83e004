"""Adapted models that are aggregated again, Yu et al. 2020 (arXiv:2002.04758), appendix A."""

from tff_lg import metric_names
from tff_lg.published.read import from_summary
from tff_lg.published.table import CIFAR10_FILES, Figure, Read, Run, TableEntry, register
from tff_lg.published.table_of_adaptation import CIFAR10_TRAINING

_SOURCE, _ADAPTED, _TECHNIQUE = 'basic', 'adapted', 'fine_tune'
_METRIC = metric_names.PARTICIPANT_ACCURACY
# The paper's accuracy of the federated model, and of the mean of models by epochs of adaptation.
_FEDERATED = 90.44
_PUBLISHED = {5: 91.15, 50: 92.64, 100: 89.22}


def _read(model: str, metric: str) -> Read:
  return from_summary(_ADAPTED, metric_names.mean(f'{model}/{metric}'))


def _figures(epochs: int, accuracy: float) -> tuple[Figure, Figure]:
  row = f'Mean of models fine-tuned for {epochs} epochs'
  model = metric_names.aggregated(_TECHNIQUE, epochs)
  return (
    Figure(row=row, column='accuracy', read=_read(model, _METRIC)),
    Figure(
      row=row,
      column='gain, points',
      read=_read(model, metric_names.gain_over(metric_names.FEDERATED, _METRIC)),
      published=accuracy - _FEDERATED,
    ),
  )


register(
  TableEntry(
    name='cifar10_aggregating_again',
    label='Adapted models aggregated again on CIFAR-10, LeNet-5',
    paper='Yu et al. 2020, appendix A, with a ResNet-18',
    data=CIFAR10_FILES,
    cpu_minutes=24,
    unit='Percent of test examples',
    runs=(
      Run(name=_SOURCE, flags=CIFAR10_TRAINING),
      Run(
        name=_ADAPTED,
        pipeline='adapt',
        flags=(
          f'--from_run={{run:{_SOURCE}}}',
          f'--adaptation={_TECHNIQUE}',
          '--learning_rate=0.001',
          '--momentum=0.9',
          f'--epochs={max(_PUBLISHED)}',
          '--evaluate_every_epochs=5',
          f'--aggregate_epochs={",".join(map(str, _PUBLISHED))}',
        ),
      ),
    ),
    figures=(
      Figure(row='Federated', column='accuracy', read=_read(metric_names.FEDERATED, _METRIC)),
      *(figure for epochs, accuracy in _PUBLISHED.items() for figure in _figures(epochs, accuracy)),
    ),
    note='Clients fine-tune at the published rate, 0.001 with momentum 0.9. The federated model '
    f'has {_FEDERATED} % in the paper.',
  )
)
