"""Tests that TensorFlow is imported without a word, and that nothing else is lost."""

import subprocess
import sys

from absl.testing import absltest

from tests import processes


def _stderr(program: str, **variables: str) -> str:
  result = processes.run_python('-W', 'ignore', '-c', program, **variables)
  return result.stderr


class QuietTensorflowTest(absltest.TestCase):
  def test_tensorflow_says_nothing(self):
    program = (
      'from tff_lg import environment; environment.prepare_tensorflow(); import tensorflow as tf; '
      'import sys; print(tf.__version__[:2], file=sys.stderr)'
    )
    self.assertEqual(_stderr(program, TF_CPP_MIN_LOG_LEVEL='3'), '2.\n')

  def test_without_a_stream_it_is_imported_all_the_same(self):
    folder = self.create_tempdir()
    folder.create_file('tensorflow/__init__.py', 'VALUE = 7')
    program = (
      f'import sys; sys.path[:0] = {[folder.full_path, *sys.path]!r}; '
      'from tff_lg import quiet_import; quiet_import.quiet_tensorflow(); '
      'import tensorflow; print(tensorflow.VALUE)'
    )
    command = ['/bin/sh', '-c', 'exec "$0" -c "$1" 2>&-', sys.executable, program]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    self.assertEqual(result.stdout, '7\n')

  def test_other_lines_are_passed_on(self):
    folder = self.create_tempdir()
    folder.create_file(
      'tensorflow/__init__.py',
      'import os\nos.write(2, b"E0000 00:00:1.2    3 port.cc:1] a\\nmine\\n")\nraise ValueError(7)',
    )
    program = (
      f'import sys; sys.path.insert(0, {folder.full_path!r}); from tff_lg import quiet_import\n'
      'quiet_import.quiet_tensorflow()\ntry:\n  import tensorflow\nexcept ValueError as error:\n'
      '  print(error, file=sys.stderr)'
    )
    self.assertEqual(_stderr(program), 'mine\n7\n')


if __name__ == '__main__':
  absltest.main()
