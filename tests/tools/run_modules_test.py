"""Tests of running several test modules from one process."""

import os
import pathlib
import sys
import xml.etree.ElementTree
from unittest import mock

from absl.testing import absltest

from tests import processes
from tools import run_modules

_ROOT = pathlib.Path(__file__).parents[2]
_MODULE = """\
import random
import sys
from absl import flags
from absl.testing import absltest

flags.DEFINE_string('run_dir', None, 'Each module has this flag.')


class ModuleTest(absltest.TestCase):
  def test_temporary_files(self):
    self.assertIn('/{number}/tmp/', self.create_tempdir('same').full_path)

  def test_number(self):
    self.assertEqual({number}, {expected})

  def test_it_is_the_main_module(self):
    self.assertEqual(sys.modules['__main__'].__spec__.name, 'room.{name}_test')

  def test_draws(self):
    self.assertEqual(random.random(), random.Random(0).random())


if __name__ == '__main__':
  absltest.main()
"""

# Its program is a fork of the process that runs the modules: whoever asks is not its parent.
_ASKING = """\
import os
import sys
from absl.testing import absltest

from tests import processes


class AskingTest(absltest.TestCase):
  def test_program(self):
    for status in (0, 3):
      result = processes.run_python('-m', 'room.program', str(os.getppid()), str(status))
      self.assertEqual(result.returncode, status)
      self.assertEqual(result.stdout, f'{processes.__name__} {status} at exit')
      self.assertEqual(result.stderr, 'an error')
    self.assertEqual(processes.run_python('-m', 'room.killed').returncode, -9)
    result = processes.run_python('-m', 'room.damaged')
    self.assertEqual(result.returncode, 1)
    self.assertIn("No module named 'nowhere'", result.stderr)


if __name__ == '__main__':
  absltest.main()
"""
_PROGRAM = """\
import atexit, os, sys
assert os.getppid() == int(sys.argv[1])
import tests.processes
atexit.register(print, ' at exit', end='')
print(tests.processes.__name__, sys.argv[2], end='')
print('an error', end='', file=sys.stderr)
sys.exit(int(sys.argv[2]))
"""


class RunModulesTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.root = pathlib.Path(self.create_tempdir().full_path)
    (self.root / 'room').mkdir()

  def _write(self, number, name, expected):
    text = _MODULE.format(number=number, name=name, expected=expected)
    (self.root / 'room' / f'{name}_test.py').write_text(text)

  def _run(self, *names, **variables):
    path = ':'.join([str(self.root), *filter(None, sys.path)])
    return processes.run_python(
      str(_ROOT / 'tools' / 'run_modules.py'),
      '--no_preload',
      *[f'room/{name}_test.py' for name in names],
      PYTHONPATH=path,
      XML_OUTPUT_FILE=str(self.root / 'cases.xml'),
      TEST_TMPDIR=str(self.root),
      **variables,
    )

  def _cases(self):
    root = xml.etree.ElementTree.parse(self.root / 'cases.xml').getroot()
    return [(case.get('name'), len(case)) for case in root.iter('testcase')]

  def test_modules_do_not_meet(self):
    self._write(0, 'first', expected=0)
    self._write(1, 'second', expected=1)
    result = self._run('first', 'second')
    self.assertEqual(result.returncode, 0, result.stdout)
    first, second = result.stdout.splitlines()
    self.assertRegex(first, r'^PASSED in \d+\.\d s \(\d+\.\d of CPU\): room/first_test.py$')
    self.assertEndsWith(second, 'room/second_test.py')
    names = [
      f'test_{name}' for name in ('draws', 'it_is_the_main_module', 'number', 'temporary_files')
    ]
    self.assertEqual(self._cases(), [(name, 0) for name in names * 2])

  def test_a_failure_fails_and_is_shown_and_the_next_is_run(self):
    self._write(0, 'first', expected=7)
    self._write(1, 'second', expected=1)
    result = self._run('first', 'second')
    self.assertEqual(result.returncode, 1)
    self.assertIn('AssertionError: 0 != 7', result.stdout)
    self.assertRegex(result.stdout, r'FAILED \(1\) in .*: room/first_test.py\nPASSED in')
    self.assertEqual([number for _, number in self._cases()], [0, 0, 1, 0, 0, 0, 0, 0])

  def test_one_that_is_killed_and_one_that_cannot_be_imported(self):
    (self.root / 'room' / 'killed_test.py').write_text('import os\nos.kill(os.getpid(), 9)\n')
    (self.root / 'room' / 'damaged_test.py').write_text('import nowhere\n')
    self._write(2, 'last', expected=2)
    result = self._run('killed', 'damaged', 'last')
    self.assertEqual(result.returncode, 1)
    self.assertRegex(result.stdout, r'FAILED \(-9\) .*killed_test.py')
    self.assertIn("No module named 'nowhere'", result.stdout)
    self.assertLen(self._cases(), 4)

  def test_a_module_asks_for_programs(self):
    files = {
      'asking_test': _ASKING,
      'program': _PROGRAM,
      'killed': 'import os\nos.kill(os.getpid(), 9)\n',
      'damaged': 'import nowhere\n',
    }
    for name, text in files.items():
      (self.root / 'room' / f'{name}.py').write_text(text)
    result = self._run('asking')
    self.assertEqual(result.returncode, 0, result.stdout)
    self.assertEqual(self._cases(), [('test_program', 0)])

  def test_what_modules_import_is_preloaded(self):
    self.enter_context(mock.patch.object(sys, 'path', [str(self.root), *sys.path]))
    (self.root / 'toys').mkdir()
    for name in ('__init__', 'ball', 'doll', 'kite'):
      (self.root / 'toys' / f'{name}.py').write_text('SIZE = 1\n')
    test = self.root / 'a_test.py'
    test.write_text('import os\nfrom toys import ball\nfrom toys.doll import SIZE\n')
    run_modules.preload([str(test)], 'toys')
    found = sorted(name for name in sys.modules if name.startswith('toys'))
    self.assertEqual(found, ['toys', 'toys.ball', 'toys.doll'])

  def test_threads_that_forks_would_miss_are_refused(self):
    self.enter_context(mock.patch.object(sys, 'path', [str(self.root), *sys.path]))
    (self.root / 'threads.py').write_text(
      'import threading\nstop = threading.Event()\nthreading.Thread(target=stop.wait).start()\n'
    )
    test = self.root / 'a_test.py'
    test.write_text('from threads import stop\n')
    with self.assertRaisesRegex(RuntimeError, 'import of threads started a thread'):
      run_modules.preload([str(test)], 'threads')
    sys.modules['threads'].stop.set()

  def test_sockets_of_processes_with_one_id_differ(self):
    with mock.patch.dict(os.environ):
      with run_modules.listen(), run_modules.listen() as second:
        self.assertEqual(second.getsockname(), b'\0' + os.environ['RUN_MODULES_SOCKET'].encode())

  def test_shards_take_turns(self):
    environment = {
      'TEST_TOTAL_SHARDS': '2',
      'TEST_SHARD_INDEX': '1',
      'TEST_SHARD_STATUS_FILE': str(self.root / 'status'),
      'HOME': '/',
    }
    self.assertEqual(run_modules.shard(['a', 'b', 'c', 'd', 'e'], environment), ['b', 'c'])
    self.assertEqual(environment, {'HOME': '/'})
    self.assertTrue((self.root / 'status').exists())
    self.assertEqual(run_modules.shard(['a', 'b'], {}), ['a', 'b'])
    of_cases = {'TEST_TOTAL_SHARDS': '2', 'TEST_SHARD_INDEX': '1'}
    self.assertEqual(run_modules.shard(['a'], of_cases), ['a'])
    self.assertIn('TEST_SHARD_INDEX', of_cases)


if __name__ == '__main__':
  absltest.main()
