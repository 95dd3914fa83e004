"""Tests of the options of a runtime."""

from absl.testing import absltest, parameterized

from tff_lg import config


class CheckRuntimeTest(parameterized.TestCase):
  @parameterized.parameters(
    {},
    {'devices': ('cpu',), 'clients_per_device': 2, 'stacked_clients': 0},
    {'runtime': 'tff'},
    {'runtime': 'ray', 'ray_actors': 2, 'ray_actor_cpus': 0.5, 'ray_actor_gpus': 0.5},
  )
  def test_fits(self, **options):
    config.check_runtime(config.RuntimeOptions(**options))

  @parameterized.parameters(
    (
      {'runtime': 'tff', 'stacked_clients': 2},
      '--stacked_clients is given, but --runtime is tff',
    ),
    (
      {'runtime': 'ray', 'devices': ('cpu',)},
      '--devices is given, but --runtime is ray: it',
    ),
    (
      {'ray_actors': 2},
      'local: it belongs to --runtime=ray.',
    ),
    ({'ray_address': 'auto'}, '--ray_address is given, but --runtime is local: it belongs to'),
    ({'clients_per_device': 0}, '--clients_per_device is 0, expected more than 0.'),
    ({'stacked_clients': -1}, '--stacked_clients is -1, expected 0 or more.'),
    ({'runtime': 'ray', 'ray_actors': 0}, '--ray_actors is 0, expected more than 0.'),
    ({'runtime': 'ray', 'ray_actor_cpus': 0.0}, '--ray_actor_cpus is 0.0, expected more than 0.'),
    ({'runtime': 'ray', 'ray_actor_gpus': -1.0}, '--ray_actor_gpus is -1.0, expected 0 or more.'),
  )
  def test_refused(self, options, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.check_runtime(config.RuntimeOptions(**options))
    with self.assertRaisesRegex(config.ConfigError, sentence):  # It is a part of a run's config.
      config.resolve(config.TrainConfig(**options))


if __name__ == '__main__':
  absltest.main()
