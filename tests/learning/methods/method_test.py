"""Tests of entries of methods: what all of them have in common."""

import pathlib
import subprocess
import sys

import attrs
import numpy as np
from absl.testing import absltest

from tests.learning import testing
from tff_lg import config, learning


def _entry(**changes):
  return attrs.evolve(learning.METHODS['fedavg'], **({'name': 'toy'} | changes))


class RegisterTest(absltest.TestCase):
  def test_colour_is_one_of_the_palette(self):
    with self.assertRaisesRegex(ValueError, 'colour'):
      _entry(colour='pink')

  def test_is_there_afterwards(self):
    self.addCleanup(learning.METHODS._entries.pop, 'toy')
    self.assertIs(learning.register(_entry()), learning.METHODS['toy'])


class MethodTest(absltest.TestCase):
  def test_every_choice_of_the_flag_is_there(self):
    self.assertEqual(tuple(learning.METHODS), config.METHODS)

  def test_a_copy_at_the_server_needs_parts_of_its_own(self):
    def build(model, settings, options):
      del options
      extra = {'copy/kernel': np.zeros([2], np.float32)}
      model = model.with_global_layers(()).with_extra_weights(extra, are_global=True)
      return learning.build_local_global_process(model, settings)

    with self.assertRaisesRegex(ValueError, '^method toy: the server keeps copy/kernel, of which'):
      _entry(build=build).build_process(testing.classifier(), testing.settings())
    parts = learning.METHODS['ditto'].parts
    _entry(build=build, parts=parts).build_process(testing.classifier(), testing.settings())

  def test_table_of_the_reference_has_their_rows(self):
    page = pathlib.Path(__file__).parents[3].joinpath('docs/reference/methods.md').read_text()
    for name, method in learning.METHODS.items():
      self.assertIn(f'\n| `{name}` | {method.sent} | {method.kept} | {method.source} |\n', page)

  def test_importing_entries_is_light(self):
    code = (
      f'import sys; sys.path[:0] = {sys.path!r}; from tff_lg.learning import methods; '
      'sys.exit(bool({"numpy", "tensorflow"} & set(sys.modules)))'
    )
    subprocess.run([sys.executable, '-c', code], check=True)


if __name__ == '__main__':
  absltest.main()
