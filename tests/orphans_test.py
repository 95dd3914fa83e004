"""Tests of what happens to processes whose program is killed."""

import os
import subprocess
import sys

from absl.testing import absltest, parameterized

from tests import processes
from tff_lg import orphans

# Starts a process that sleeps, says its number, and then does as it is told.
_PROGRAM = """
import os, signal, subprocess, sys
sys.path[:0] = {path!r}
from tff_lg import orphans

watch = orphans.Watch({folder!r})
environment = dict(os.environ, **watch.environment) if {is_marked} else None
out = open({out!r}, 'w')
child = subprocess.Popen(['sleep', '600'], env=environment, stdout=out, start_new_session=True)
unmarked = subprocess.Popen(['sleep', '600'], stdout=subprocess.DEVNULL, start_new_session=True)
print(watch._process.pid, child.pid, unmarked.pid, flush=True)
if {is_killed}:
  os.kill(os.getpid(), signal.SIGKILL)
watch.end()
"""
_SECONDS = 60


class WatchTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path

  def _run(self, **options):
    """Runs the program; the process that watches it, the one to be ended, and one beside."""
    folder = os.path.join(self.folder, 'of_program')
    os.mkdir(folder)
    options = {'folder': folder, 'is_marked': True, 'out': os.devnull, 'path': sys.path} | options
    result = subprocess.run(
      [sys.executable, '-c', _PROGRAM.format(**options)],
      stdout=subprocess.PIPE,
      text=True,
      check=False,
      timeout=_SECONDS,
    )
    self.assertEqual(result.returncode, -9 if options['is_killed'] else 0)
    pids = [int(pid) for pid in result.stdout.split()]
    for pid in pids[1:]:
      self.addCleanup(subprocess.run, ['kill', '-9', str(pid)], check=False, capture_output=True)
    self.assertTrue(processes.has_ended(pids[0]))
    return folder, pids

  def test_ends_what_is_marked_and_removes_the_folder(self):
    folder, (_, child, other) = self._run(is_killed=True)
    self.assertTrue(processes.has_ended(child))
    self.assertTrue(processes.is_running(other))
    self.assertFalse(os.path.exists(folder))

  def test_ends_what_has_a_file_open_in_the_folder(self):
    out = os.path.join(self.folder, 'of_program', 'out')
    folder, (_, child, _) = self._run(is_killed=True, is_marked=False, out=out)
    self.assertTrue(processes.has_ended(child))
    self.assertFalse(os.path.exists(folder))

  def test_leaves_all_alone_after_its_end(self):
    folder, (_, child, _) = self._run(is_killed=False)
    self.assertTrue(processes.is_running(child))
    self.assertTrue(os.path.exists(folder))

  def test_is_not_marked_by_the_watch_of_a_program_above(self):
    above = orphans.Watch()
    os.environ.update(above.environment)
    self.addCleanup(os.environ.pop, *above.environment)
    below = orphans.Watch()
    mark = f'{orphans._MARK}={above.environment[orphans._MARK]}'.encode()
    self.assertEmpty(list(orphans._orphans(mark, '')))
    for watch in (below, above):
      watch.end()


if __name__ == '__main__':
  absltest.main()
