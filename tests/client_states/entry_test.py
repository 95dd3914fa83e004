"""Tests of the stores of client states as entries, and that one from outside is a choice."""

import subprocess
import sys

from absl.testing import absltest

from tff_lg import client_states, config

_PROGRAM = """
import sys
sys.path[:0] = {path!r}
from tff_lg import client_states

client_states.register(
  client_states.StoreEntry(name='toy', label='nowhere', build=lambda setting: setting.folder)
)
from tff_lg import config
from tff_lg.client_states import phase_stores

resolved = config.resolve(config.TrainConfig(client_store='toy'))
print(phase_stores.create_client_store(resolved.client_store, 'run', 1, None, 3))
"""


class EntryTest(absltest.TestCase):
  def test_those_that_need_a_folder(self):
    needs = {name: entry.needs_folder for name, entry in client_states.CLIENT_STORES.items()}
    self.assertEqual(needs, {'memory': False, 'disk': True})

  def test_choices_of_the_flag(self):
    self.assertEqual(config.TrainConfig().client_store, client_states.MEMORY)
    with self.assertRaisesRegex(config.ConfigError, '--client_store is x, expected one of memory'):
      config.resolve(config.TrainConfig(client_store='x'))

  def test_store_from_outside(self):
    program = _PROGRAM.format(path=sys.path)
    result = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
    self.assertEqual(result.stdout, 'run/client_states/phase_1\n', result.stderr)


if __name__ == '__main__':
  absltest.main()
