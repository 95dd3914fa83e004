"""No code branches on the name of an entry: it asks the entry for a trait."""

import ast
import pathlib

from absl.testing import absltest

from tff_lg import adaptation, aggregators, attacks, data, metrics, optimizers, tasks
from tff_lg.learning import methods
from tff_lg.learning.methods import local_only

_ROOT = pathlib.Path(__file__).parents[2]
_REGISTRIES = (
  adaptation.ADAPTATIONS,
  aggregators.AGGREGATORS,
  attacks.ATTACKS,
  data.PARTITIONS,
  methods.METHODS,
  metrics.METRICS,
  metrics.OBJECTIVES,
  optimizers.OPTIMIZERS,
  tasks.NETWORKS,
  tasks.TASKS,
)
# The loss is not one metric among others: every model has it, of whatever it predicts.
_NAMES = frozenset().union(*_REGISTRIES) - {'loss'}
# Published tables and suites are lists of runs, which they know by name.
_LISTS_OF_RUNS = ('tff_lg/published/', 'tff_lg/suites/')
# Where a comparison may be with these names, and why.
_ALLOWED = {
  # The task spreads its examples itself, and says which partitions it can make.
  'tff_lg/tasks/embeddings.py': {'clusters', 'iid'},
  'tff_lg/tasks/vqa.py': {'dirichlet', 'iid'},
  # The area under the curve has a column of clients, as pooled examples do not give it.
  'tff_lg/scoring/scores.py': {'auc'},
  # The network is one on which the method differs from FedAvg.
  'benchmarks/method_costs.py': {'fedbn'},
  # The names of something else: columns of results, kinds of SQLite's entries, a start of weights,
  # and models of an experiment of its own.
  'tff_lg/analysis/sweep_report.py': {'mean'},
  'tff_lg/data/client_database.py': {'table'},
  'tff_lg/models/cgau.py': {'mean'},
  'tff_lg/experiments/xor.py': {'mlp'},
}


def _texts(node: ast.expr) -> set[str]:
  """Returns the texts that an operand is, or lists."""
  parts = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
  return {part.value for part in parts if isinstance(part, ast.Constant)}


def _compared(source: str) -> set[str]:
  """Returns the registered names that a module compares something with."""
  comparisons = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Compare)]
  operands = [operand for node in comparisons for operand in (node.left, *node.comparators)]
  return set().union(*map(_texts, operands)) & _NAMES


class RegisteredNamesTest(absltest.TestCase):
  def test_no_module_compares_with_them(self):
    found = {}
    for room in ('tff_lg', 'pipelines', 'benchmarks'):
      for path in sorted(_ROOT.joinpath(room).rglob('*.py')):
        name = path.relative_to(_ROOT).as_posix()
        names = _compared(path.read_text(encoding='utf-8'))
        if names and not name.startswith(_LISTS_OF_RUNS):
          found[name] = names
    self.assertEqual(found, _ALLOWED)

  def test_the_baseline_is_spelled_in_its_entry(self):
    spelled = [
      path.relative_to(_ROOT).as_posix()
      for path in _ROOT.joinpath('tff_lg').rglob('*.py')
      if f"'{local_only.NAME}'" in path.read_text(encoding='utf-8')
    ]
    others = [name for name in spelled if not name.startswith(_LISTS_OF_RUNS)]
    self.assertEqual(others, ['tff_lg/learning/methods/local_only.py'])

  def test_comparisons_are_seen(self):
    for test in (
      "config.method == 'fedavg'",
      "'fedavg' != config.method",
      "config.method in (None, 'fedavg')",
      "config.method not in ['fedavg']",
      "'fedavg' in config.methods",
    ):
      self.assertEqual(_compared(test), {'fedavg'}, test)
    for trait in ("METHODS['fedavg'].sends_updates", "config.method == 'unknown'"):
      self.assertEmpty(_compared(trait), trait)


if __name__ == '__main__':
  absltest.main()
