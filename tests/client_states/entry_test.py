"""Tests of the stores of client states as entries."""

from absl.testing import absltest

from tff_lg import client_states, config


class EntryTest(absltest.TestCase):
  def test_those_that_need_a_folder(self):
    needs = {name: entry.needs_folder for name, entry in client_states.CLIENT_STORES.items()}
    self.assertEqual(needs, {'memory': False, 'disk': True})

  def test_choices_of_the_flag(self):
    self.assertEqual(config.TrainConfig().client_store, client_states.MEMORY)
    with self.assertRaisesRegex(config.ConfigError, '--client_store is x, expected one of memory'):
      config.resolve(config.TrainConfig(client_store='x'))


if __name__ == '__main__':
  absltest.main()
