"""Training again without those who are worse off, Yu et al. 2020 (arXiv:2002.04758), appendix A."""

from tff_lg import metric_names
from tff_lg.published.read import from_summary
from tff_lg.published.table import CIFAR10_FILES, Figure, Run, TableEntry, register
from tff_lg.published.table_of_adaptation import CIFAR10_TRAINING, OWN_MODELS

_SOURCE, _AGAIN = 'basic', 'again'
_METRIC = metric_names.PARTICIPANT_ACCURACY
# The models trained with all clients, and without those who are worse off.
_WITH, _WITHOUT = metric_names.FEDERATED, metric_names.RETRAINED
_CLIENTS = {metric_names.KEPT: 'Clients that stay', metric_names.REMOVED: 'Clients that leave'}


def _figures(clients: str) -> tuple[Figure, ...]:
  """Returns the figures of the clients that stay, or of those that leave."""
  gain = metric_names.gain_over(_WITH, _METRIC)
  columns = {
    'accuracy, trained with all': metric_names.mean(f'{_WITH}/{_METRIC}'),
    'trained without': metric_names.mean(f'{_WITHOUT}/{_METRIC}'),
    'change, points': metric_names.mean(f'{_WITHOUT}/{gain}'),
    'worse off than alone, trained with all': _worse_off(_WITH),
    'worse off, without': _worse_off(_WITHOUT),
  }
  row = _CLIENTS[clients]
  number = from_summary(_AGAIN, f'{clients}num_clients', 1)
  return (
    Figure(row=row, column='clients', read=number, digits=0),
    *(
      Figure(row=row, column=column, read=from_summary(_AGAIN, f'{clients}{key}'))
      for column, key in columns.items()
    ),
  )


def _worse_off(model: str) -> str:
  return metric_names.share_worse(f'{model}/{metric_names.gain_over("local_only", _METRIC)}')


register(
  TableEntry(
    name='cifar10_retraining',
    label='Training again without clients that are worse off than alone, CIFAR-10, LeNet-5',
    paper='Yu et al. 2020, appendix A, of words on Reddit, without figures',
    data=CIFAR10_FILES,
    cpu_minutes=27,
    unit='Percent of test examples and, for those worse off, of clients',
    runs=(
      Run(name=_SOURCE, flags=(*CIFAR10_TRAINING, *OWN_MODELS)),
      Run(
        name=_AGAIN,
        pipeline='adapt',
        flags=(
          f'--from_run={{run:{_SOURCE}}}',
          f'--retrain_without={metric_names.FEDERATED}',
          *('--adaptation=fine_tune', '--epochs=1', '--learning_rate=0.001'),
        ),
      ),
    ),
    figures=tuple(figure for clients in _CLIENTS for figure in _figures(clients)),
    note='Clients leave whose own best model is better on their validation data. All accuracies '
    'are of test data.',
  )
)
