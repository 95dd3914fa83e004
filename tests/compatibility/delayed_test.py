"""Tests of packages that are imported when they are first used."""

import pathlib
import sys
import textwrap

from absl.testing import absltest

from tests import processes
from tff_lg.compatibility import delayed

_PACKAGE = """
import part
numbers = [1, 2]
part.COUNTS.append(__name__)
def __getattr__(name):
  if name == 'late':
    return 3
  raise AttributeError(name)
"""


class DelayTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    folder = pathlib.Path(self.create_tempdir().full_path)
    (folder / 'part.py').write_text('COUNTS = []\n')
    (folder / 'heavy').mkdir()
    (folder / 'heavy' / '__init__.py').write_text(_PACKAGE)
    (folder / 'heavy' / 'inner.py').write_text('number = 5\n')
    (folder / 'broken.py').write_text('import no_such_module\n')
    sys.path.insert(0, str(folder))
    self.addCleanup(sys.path.remove, str(folder))
    for name in ('heavy', 'heavy.inner', 'part', 'broken'):
      self.addCleanup(sys.modules.pop, name, None)

  def test_imported_at_the_first_use_and_once(self):
    delayed.delay('heavy')
    import heavy
    import part

    self.assertTrue(heavy.__file__.endswith('__init__.py'))
    self.assertFalse(hasattr(heavy, '__warningregistry__'))
    self.assertEmpty(part.COUNTS)
    self.assertEqual(heavy.numbers, [1, 2])
    self.assertEqual(heavy.late, 3)
    self.assertEqual(part.COUNTS, ['heavy'])
    again = __import__('heavy')
    self.assertIs(again.numbers, heavy.numbers)
    with self.assertRaises(AttributeError):
      _ = heavy.missing

  def test_a_module_within(self):
    delayed.delay('heavy')
    from heavy import inner

    self.assertEqual(inner.number, 5)

  def test_a_module_that_cannot_be_imported_says_so_each_time(self):
    delayed.delay('broken')
    import broken

    for _ in range(2):
      with self.assertRaisesRegex(ImportError, 'no_such_module'):
        _ = broken.anything

  def test_what_is_imported_or_missing_is_left_alone(self):
    delayed.delay('no_such_package')
    delayed.delay('no_such_package.module')
    self.assertNotIn('no_such_package', sys.modules)
    import heavy

    delayed.delay('heavy')
    self.assertIs(sys.modules['heavy'], heavy)

  def test_tff_imports_neither_of_its_rare_packages(self):
    result = processes.run_python(
      '-c',
      textwrap.dedent("""
        import sys
        from tff_lg.compatibility import tff
        assert 'tensorflow_probability.python' not in sys.modules
        assert 'scipy.signal._signaltools' not in sys.modules
        import tensorflow_probability
        from scipy import signal
        print(signal.convolve([1, 2], [1, 1]), tensorflow_probability.__version__)
      """),
    )
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertIn('[1 3 2]', result.stdout)


if __name__ == '__main__':
  absltest.main()
