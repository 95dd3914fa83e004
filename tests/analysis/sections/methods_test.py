"""Tests of the section that compares methods."""

from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis.sections import methods


class MethodsTest(absltest.TestCase):
  def test_both_tables(self):
    html = methods.build_methods(testing.make_run()).html
    self.assertEqual(html.count('<table>'), 2)
    self.assertIn('paired t distribution', html)

  def test_without_baseline(self):
    run = testing.make_run(clients=testing.make_run().clients[['local_test/accuracy']])
    self.assertEqual(methods.build_methods(run).html.count('<table>'), 1)


if __name__ == '__main__':
  absltest.main()
