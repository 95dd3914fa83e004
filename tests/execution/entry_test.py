"""Tests of runtimes as entries, and that one from outside is an entry like the others."""

import sys

from absl.testing import absltest, parameterized

from tests import processes
from tff_lg import config
from tff_lg.execution import RUNTIMES, local, ray_actors

# A module from outside, then a program that chooses its runtime.
_OUTSIDE = """
import sys
sys.path[:0] = {path!r}
import attrs
from tff_lg import execution
from tff_lg.entries import option
from tff_lg.option_check import POSITIVE

@attrs.frozen
class Options:
  moons: int = option(2, 'Moons that clients run on', POSITIVE)

execution.register(
  execution.RuntimeEntry(
    name='moon',
    label='on the moon',
    options=Options,
    set_context=lambda options: print('moons', options.moons),
  )
)
from tff_lg import config
assert 'tensorflow' not in sys.modules and 'ray' not in sys.modules
for moons in (3, 0):
  try:
    options = config.RuntimeOptions(runtime='moon', moons=moons)
    config.check_runtime(options)
    from tff_lg import simulation
    simulation.set_execution_context(options)
  except config.ConfigError as error:
    print(error)
try:
  config.check_runtime(config.RuntimeOptions(moons=3))
except config.ConfigError as error:
  print(error)
assert 'ray' not in sys.modules
"""


class EntryTest(parameterized.TestCase):
  def test_what_flags_show(self):
    self.assertEqual(list(RUNTIMES), ['local', 'tff', 'ray'])
    shown = {each.name: each.help for each in RUNTIMES.list_options()}
    self.assertEqual(
      shown['ray_actors'], 'Processes that clients are spread over (--runtime=ray); 1 by default.'
    )
    self.assertIn('(--runtime=local); as many as there are cores', shown['clients_per_device'])

  def test_options_are_those_of_the_config(self):
    options = config.RuntimeOptions(runtime='ray', ray_actors=3, ray_actor_gpus=0.5)
    self.assertEqual(
      config.RUNTIME_OPTIONS.build(options, 'ray'),
      ray_actors.Options(ray_actors=3, ray_actor_gpus=0.5),
    )
    self.assertEqual(
      config.RUNTIME_OPTIONS.build(config.RuntimeOptions(), 'local'), local.Options()
    )

  def test_options_of_ray_change_no_bit(self):
    ray = {'ray_address', 'ray_actors', 'ray_actor_cpus', 'ray_actor_gpus'}
    self.assertEqual(config.WITHOUT_EFFECT, ray | {'client_cache', 'track', 'warm_start_from'})

  def test_a_runtime_from_outside(self):
    result = processes.run_python('-c', _OUTSIDE.format(path=sys.path))
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertEqual(
      result.stdout.splitlines(),
      [
        'moons 3',
        '--moons is 0, expected more than 0.',
        '--moons is given, but --runtime is local: it belongs to --runtime=moon.',
      ],
    )


if __name__ == '__main__':
  absltest.main()
