"""Tests of flags that contradict each other: each pair is refused in a sentence."""

from absl.testing import absltest, parameterized

from tff_lg import config
from tff_lg.config import TrainConfig


class CheckTest(parameterized.TestCase):
  @parameterized.parameters(
    ({'method': 'fedavg', 'warm_start_rounds': 3}, '--method=fedavg has no warm start'),
    (
      {'early_stopping_rounds': 5, 'protocol': 'reference'},
      '--early_stopping_rounds looks at validation data, but --protocol=reference has none',
    ),
    (
      {'early_stopping_rounds': 5, 'optimistic_choice_on_test_data': True},
      'looks at validation data, but --optimistic_choice_on_test_data replaces them',
    ),
    (
      {'protocol': 'reference', 'optimistic_choice_on_test_data': False},
      'chooses models on test data, but --nooptimistic_choice_on_test_data is given',
    ),
    ({'early_stopping_rounds': 5, 'method': 'local_only'}, 'clients end by --local_only_patience'),
    ({'method': 'fedsgd', 'server_momentum': 0.5}, 'do not fit --method=fedsgd'),
    ({'partition': 'natural', 'num_clients': 5}, 'takes the clients from the data'),
    ({'data_dir': '/data'}, '--task=digits is embedded'),
    ({'protocol': 'reference', 'client_weighting': 'examples'}, 'averages uniformly'),
    ({'baselines': ('lg_fedavg',)}, 'is the --method itself'),
    ({'partition': 'clusters'}, '--partition=clusters is for --task=embeddings, but --task is dig'),
    ({'held_out_clients': 1, 'held_out_ids': ('a',)}, 'both say who is held out'),
    ({'validation_clients': 1}, '--validation_clients is 1, expected .* held-out clients, 0'),
    ({'held_out_clients': 2, 'validation_clients': 2}, '--validation_clients is 2, expected more'),
    ({'held_out_clients': 2, 'validation_clients': 0}, '--validation_clients is 0, expected more'),
    (
      {'task': 'text', 'partition': 'natural_iid', 'held_out_clients': 1},
      'shuffles examples between all clients: none can be held out',
    ),
    ({'method': 'local_only', 'aggregator': 'median'}, 'sends nothing to aggregate'),
    ({'method': 'local_only', 'attack': 'sign_flip'}, 'sends nothing to attack'),
    ({'method': 'ifca', 'aggregator': 'median'}, 'ifca needs means of what its clients'),
    ({'task': 'diabetes', 'attack': 'backdoor'}, '--attack=backdoor needs images'),
    ({'task': 'text', 'protocol': 'reference'}, 'does not fit --task=text'),
  )
  def test_refuses(self, changes, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(TrainConfig(**changes))

  def test_the_first_one_is_told(self):
    with self.assertRaisesRegex(config.ConfigError, '--task=digits is embedded'):
      config.resolve(TrainConfig(data_dir='d', method='fedavg', warm_start_rounds=3))


if __name__ == '__main__':
  absltest.main()
