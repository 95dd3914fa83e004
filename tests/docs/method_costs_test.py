"""Tests that docs/METHODS.md has the cost of every method, as its process has it."""

import math
import pathlib
import re

from absl.testing import absltest, parameterized

from benchmarks import method_costs
from tff_lg import learning

_PAGE = (pathlib.Path(__file__).parents[2] / 'docs' / 'METHODS.md').read_text(encoding='utf-8')
# Some of their steps are on all examples of a client, whose number is not known.
_WITHOUT_MEMORY = ('fedsgd', 'ifca', 'per_fedavg')


class MethodCostsTest(parameterized.TestCase):
  @parameterized.parameters(*learning.METHODS)
  def test_row(self, name):
    (examples,) = re.findall(rf'^\| `{name}` \| ([\d.]+) \|', _PAGE, re.MULTILINE)
    cost = method_costs.compare(name, float(examples))
    self.assertIn(f'\n{method_costs.row(name, cost)} ', _PAGE)
    steps, _ = method_costs.count(name, normalizes=name == 'fedbn')
    self.assertEqual(math.isnan(steps.memory_bytes), name in _WITHOUT_MEMORY)


if __name__ == '__main__':
  absltest.main()
