"""Tests of the section on clients."""

import math

from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis.sections import clients


class ClientsTest(absltest.TestCase):
  def test_figures(self):
    scatter, improvement = clients.build_clients(testing.make_run()).illustrations
    self.assertEqual((scatter.name, improvement.name), ('client_scatter', 'improvement'))
    self.assertIn('bins of the local test accuracy of their locally trained', improvement.caption)
    self.assertStartsWith(
      scatter.caption, 'A mark for each client: above the diagonal it does better with LG-Fed'
    )

  def test_nobody_to_compare(self):
    table = testing.make_run().clients
    for without in (
      table[['local_test/accuracy']],
      table.assign(**{'local_only/local_test/accuracy': math.nan}),
    ):
      self.assertIsNone(clients.build_clients(testing.make_run(clients=without)))


if __name__ == '__main__':
  absltest.main()
