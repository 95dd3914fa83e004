"""Motley's cross-device benchmark: Wu et al. 2022, arXiv:2206.09262.

Most clients train, and the others never do: validation clients choose, test clients are scored.
Both have a personalisation set, their training data here, and an evaluation set. FedAvg has Adam at
the server (FedAdam). The rate and the epoch of fine-tuning are those with the best mean over
validation clients; all test clients have them. A client that learns alone fine-tunes the
initial weights, by the same choice.

The authors' settings: google-research/federated, `personalization_benchmark/cross_device`. Their
data are EMNIST, Stack Overflow, Landmarks and TedMulti; here it is any task with many clients.
"""

from tff_lg.adaptation import ADAPTATIONS
from tff_lg.config import VALIDATION_CLIENTS
from tff_lg.learning.methods import METHODS
from tff_lg.suites.search import SearchAxis
from tff_lg.suites.suite import SuiteEntry, SuiteMethod, register, to_percent

_AXES = (
  SearchAxis('client_learning_rate', (0.03, 0.1, 0.3, 1, 3), 1),
  SearchAxis('server_learning_rate', (0.001, 0.003, 0.01, 0.03, 0.1), 0.01),
)
_CLUSTERS = SearchAxis('num_clusters', (2, 3, 4, 5), 2, grows=False)
_ADAPT = {'choose': VALIDATION_CLIENTS, 'learning_rate': '0.1,0.25,0.63,1.6,4', 'epochs': '20'}
# The rows that adapt FedAvg: name, label, technique, flags.
_ADAPTED: tuple[tuple[str, str, str, dict[str, str]], ...] = (
  ('fine_tuning', 'FedAvg, fine-tuned', 'fine_tune', {}),
  ('last_layer', 'FedAvg, last layer fine-tuned', 'freeze_base', {}),
  (
    'local',
    'Local',
    'fine_tune',
    {'start': 'initial', 'learning_rate': '0.3,1,3', 'epochs': '200'},
  ),
)


def _list_methods() -> tuple[SuiteMethod, ...]:
  rows = [SuiteMethod(name='fedavg', label='FedAvg', method='fedavg', axes=_AXES)]
  rows += [
    SuiteMethod(name=name, label=label, flags=_ADAPT | flags, adapts='fedavg', technique=technique)
    for name, label, technique, flags in _ADAPTED
    if technique in ADAPTATIONS
  ]
  if 'ifca' in METHODS:
    rows.append(
      SuiteMethod(
        name='hypcluster',
        label='HypCluster',
        method='ifca',
        flags={'warm_start_rounds': '100'},
        axes=(_CLUSTERS, *_AXES),
      )
    )
  return tuple(rows)


register(
  SuiteEntry(
    name='motley_cross_device',
    label="Motley's cross-device protocol, on text by user or any task after `--`",
    data='text by user, as of --task=chars; generated text without it',
    flags={
      'task': 'chars',
      'test_fraction': '0.25',
      # Half of the lines are left for personalisation.
      'validation_fraction': '0.333333',
      'held_out_clients': '20',
      'validation_clients': '10',
      'client_epochs': '1',
      'batch_size': '20',
      'server_optimizer': 'adam',
      'server_beta_1': '0.9',
      'server_beta_2': '0.99',
      'server_epsilon': '0.001',
    },
    list_methods=_list_methods,
    axes=_AXES,
    scores_last_round=True,
    scores_test_clients=True,
    num_repeats=5,
    rounds=1500,
    metric='accuracy',
    score=to_percent,
    score_label='accuracy of test clients (%)',
    digits=2,
  )
)
