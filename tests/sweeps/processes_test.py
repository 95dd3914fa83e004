"""Tests of the processes: that they are kept, and that one that dies loses one trial only."""

import multiprocessing
import os
import signal
import subprocess
import sys

import psutil
from absl.testing import absltest

from tests.sweeps import testing
from tff_lg import sweeps
from tff_lg.sweeps import processes

# A sweep that says which process runs its trial, and is then killed.
_KILLED = """
import multiprocessing, sys
sys.path[:0] = {path!r}
from tests.sweeps import testing
from tff_lg import sweeps

if __name__ == '__main__':
  with sweeps.ProcessPool(testing.run, 1) as pool:
    pool.start(testing.job({folder!r}, 'a', 'hangs'))
    print(multiprocessing.active_children()[0].pid, flush=True)
    pool.wait()
"""


class ProcessPoolTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path

  def _run(self, jobs, num_workers=1):
    with sweeps.ProcessPool(testing.run, num_workers) as pool:
      failures = sweeps.run_jobs([testing.job(self.folder, *job) for job in jobs], pool)
    return {failure.job.name: failure.error for failure in failures}

  def test_a_process_is_kept(self):
    self.assertEmpty(self._run([('a',), ('b', 'fails once'), ('c',)]))
    ids = [testing.process_ids(self.folder, name) for name in 'abc']
    self.assertLen({number for of_trial in ids for number in of_trial}, 1)
    self.assertEqual([testing.num_attempts(self.folder, name) for name in 'abc'], [1, 2, 1])

  def test_failures_name_what_was_wrong(self):
    failures = self._run([('a', 'fails'), ('b', 'dies'), ('c', 'exits'), ('d', 'dies once')])
    self.assertEqual(
      failures,
      {
        'a': 'ValueError: no luck',
        'b': 'its process was killed by SIGKILL.',
        'c': 'SystemExit: enough',
      },
    )
    self.assertEqual([testing.num_attempts(self.folder, name) for name in 'abcd'], [2, 2, 2, 2])

  def test_output_goes_to_the_log(self):
    self._run([('a', 'fails once')])
    with open(testing.job(self.folder, 'a').log_path, encoding='utf-8') as file:
      lines = file.read().splitlines()
    # Both attempts, with the traceback of the first.
    self.assertEqual(lines.count('trial a'), 2)
    self.assertEqual(lines.count('and its errors'), 2)
    self.assertIn('ValueError: no luck', lines)

  def test_processes_share_the_cores(self):
    self._run([('a',), ('b',)], num_workers=2)
    shares = []
    for name in 'ab':
      with open(os.path.join(self.folder, name, 'cores'), encoding='utf-8') as file:
        shares.append(set(file.read().split(',')))
    everything = {str(core) for core in os.sched_getaffinity(0)}
    self.assertEqual(shares[0] | shares[1], everything)
    if len(everything) > 1:
      self.assertEmpty(shares[0] & shares[1])

  def test_closing_ends_a_trial(self):
    with sweeps.ProcessPool(testing.run, 1) as pool:
      pool.start(testing.job(self.folder, 'a', 'hangs'))
      (process,) = multiprocessing.active_children()
    self.assertFalse(psutil.pid_exists(process.pid))

  def test_processes_end_when_the_sweep_is_killed(self):
    script = os.path.join(self.folder, 'killed.py')
    with open(script, 'w', encoding='utf-8') as file:
      file.write(_KILLED.format(path=sys.path, folder=self.folder))
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as sweep:
      process = psutil.Process(int(sweep.stdout.readline()))
      sweep.send_signal(signal.SIGKILL)
    process.wait(200)
    self.assertFalse(process.is_running())

  def test_a_second_signal_does_not_interrupt_the_end(self):
    before = signal.signal(signal.SIGTERM, processes._stop)
    self.addCleanup(signal.signal, signal.SIGTERM, before)
    with self.assertRaises(processes._Stopped):
      signal.raise_signal(signal.SIGTERM)
    signal.raise_signal(signal.SIGTERM)

  def test_number_of_workers(self):
    with self.assertRaisesRegex(ValueError, 'num_workers is 0'):
      sweeps.ProcessPool(testing.run, 0)


if __name__ == '__main__':
  absltest.main()
