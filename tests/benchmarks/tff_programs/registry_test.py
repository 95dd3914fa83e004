"""Tests that programs cover TFF's public API."""

import ast
import inspect
import pathlib

from absl.testing import absltest

import benchmarks.tff_programs
from benchmarks.tff_programs import registry, tutorials
from tff_lg.compatibility import tff

_MODULES = (
  'tff',
  'tff.aggregators',
  'tff.analytics',
  'tff.analytics.count_distinct',
  'tff.analytics.data_processing',
  'tff.analytics.differential_privacy',
  'tff.analytics.heavy_hitters.iblt',
  'tff.analytics.histogram_processing',
  'tff.learning',
  'tff.learning.algorithms',
  'tff.learning.metrics',
  'tff.learning.models',
  'tff.learning.optimizers',
  'tff.learning.programs',
  'tff.learning.templates',
  'tff.program',
  'tff.simulation',
  'tff.simulation.datasets',
  'tff.templates',
)
# Public names that no program has to have.
_PARTS = 'TFF makes it: an argument or a result of what programs use'
_CHECKS = 'TFF calls it in its optimizers and decoders, which have programs'
_WITHOUT_PROGRAM = {
  'tff.StructType': _PARTS,
  'tff.StructWithPythonType': _PARTS,
  'tff.Value': _PARTS,
  'tff.analytics.heavy_hitters.iblt.CharacterEncoding': _PARTS,
  'tff.analytics.heavy_hitters.iblt.CoupledHyperEdgeHasher': _CHECKS,
  'tff.analytics.heavy_hitters.iblt.IbltDecoder': _CHECKS,
  'tff.analytics.heavy_hitters.iblt.IbltTensorDecoder': _CHECKS,
  'tff.analytics.heavy_hitters.iblt.IbltTensorEncoder': _CHECKS,
  'tff.analytics.heavy_hitters.iblt.RandomHyperEdgeHasher': _CHECKS,
  'tff.analytics.heavy_hitters.iblt.decode_iblt_tensor_tf': _CHECKS,
  'tff.learning.optimizers.check_weights_gradients_match': _CHECKS,
  'tff.learning.optimizers.handle_indexed_slices_gradients': _CHECKS,
  'tff.learning.programs.ProgramState': _PARTS,
  'tff.learning.templates.ClientResult': _PARTS,
  'tff.learning.templates.ClientWorkProcess': _PARTS,
  'tff.learning.templates.DistributionProcess': _PARTS,
  'tff.learning.templates.FinalizerProcess': _PARTS,
  'tff.learning.templates.LearningAlgorithmState': _PARTS,
  'tff.learning.templates.LearningProcess': _PARTS,
  'tff.learning.templates.LearningProcessOutput': _PARTS,
  'tff.learning.templates.build_functional_model_delta_client_work': (
    'weighted_fed_avg uses it, and compose_learning_process its twin'
  ),
  'tff.templates.AggregationProcess': _PARTS,
}


def _public_names():
  """Yields functions and classes of TFF that can be called: neither abstract nor exceptions."""
  for module_name in _MODULES:
    module = tff
    for part in module_name.split('.')[1:]:
      module = getattr(module, part)
    for name, value in vars(module).items():
      is_class = inspect.isclass(value)
      if name.startswith('_') or not (is_class or inspect.isroutine(value)):
        continue
      if not value.__module__.startswith('tensorflow_federated'):
        continue
      if is_class and (
        inspect.isabstract(value)
        or issubclass(value, Exception)
        or getattr(value, '_is_protocol', False)
      ):
        continue
      yield f'{module_name}.{name}'


def _used_names():
  """Returns what programs use of TFF, as they write it."""
  names = set()
  for path in pathlib.Path(benchmarks.tff_programs.__file__).parent.glob('*.py'):
    for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
      if isinstance(node, ast.Attribute):
        names.add(ast.unparse(node))
  return names


class RegistryTest(absltest.TestCase):
  def test_every_public_name_has_a_program(self):
    missing = sorted(set(_public_names()) - _used_names() - set(_WITHOUT_PROGRAM))
    self.assertEqual(missing, [])

  def test_exceptions_are_public_names_without_program(self):
    self.assertContainsSubset(_WITHOUT_PROGRAM, set(_public_names()))
    self.assertEqual(sorted(_used_names() & set(_WITHOUT_PROGRAM)), [])

  def test_names_are_unique(self):
    for module, programs in registry.by_module().items():
      names = [each.name for each in programs]
      self.assertCountEqual(names, set(names), module)

  def test_programs_of_a_module_use_it(self):
    used = _used_names()
    for module in set(registry.by_module()) - {tutorials.TUTORIALS.module}:
      self.assertTrue(any(name.startswith(f'{module}.') for name in used), module)


if __name__ == '__main__':
  absltest.main()
