"""Tests of the choice of a runtime, and that TFF's own ends with the program."""

import re
import signal

import numpy as np
from absl.testing import absltest, parameterized

from tests import processes
from tff_lg import config, simulation
from tff_lg.compatibility import tff

# As in what a shell script runs in the background, interrupts are ignored, by the worker too.
_PROGRAM = """
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
import numpy as np
import psutil
from tff_lg import config, simulation
from tff_lg.compatibility import tff

@tff.tensorflow.computation(np.int32)
def add_one(x):
  return x + 1

for _ in range(2):
  simulation.set_execution_context(config.RuntimeOptions(runtime='tff'))
  assert add_one(1) == 2
  for child in psutil.Process().children():
    if child.name() == 'worker_binary':
      print('child', child.pid, flush=True)
{end}
"""
_KILL = 'import os; os.kill(os.getpid(), signal.SIGKILL)'


@tff.tensorflow.computation(np.int32)
def _add_one(x):
  return x + 1


class SetExecutionContextTest(parameterized.TestCase):
  def test_either_runtime_runs_and_setting_one_again_does_no_harm(self):
    for name in ('local', 'tff', 'tff', 'local', 'local'):
      simulation.set_execution_context(config.RuntimeOptions(runtime=name))
      self.assertEqual(_add_one(1), 2)

  def test_unknown_runtime_is_refused(self):
    with self.assertRaisesRegex(ValueError, 'runtime is cpp, expected one of local, tff, ray'):
      simulation.set_execution_context(config.RuntimeOptions(runtime='cpp'))

  @parameterized.named_parameters(('ends', '', 0), ('is_killed', _KILL, -signal.SIGKILL))
  def test_workers_end_with_their_context_and_with_the_program(self, end, exit_code):
    result = processes.run_code(_PROGRAM.format(end=end))
    self.assertEqual(result.returncode, exit_code, result.stderr)
    self.assertNotIn('Exception', result.stdout + result.stderr)
    workers = re.findall('^child ([0-9]+)$', result.stdout, re.MULTILINE)
    self.assertLen(workers, 2)
    for worker in workers:
      self.assertTrue(processes.has_ended(int(worker)), worker)


if __name__ == '__main__':
  absltest.main()
