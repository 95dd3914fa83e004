"""Tests of the section that compares runs."""

from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis.run_folder import RunFolderError
from tff_lg.analysis.sections import comparison


class ComparisonTest(absltest.TestCase):
  def test_run_and_baseline(self):
    section = comparison.build_comparison(testing.make_run())
    self.assertEqual(section.html.count('<table>'), 1)
    self.assertIn('<th scope="row">Local only</th>', section.html)
    self.assertEmpty(section.illustrations)

  def test_other_runs(self):
    others = [testing.make_run(path='runs/y', hparams={'aggregator': 'median'})]
    section = comparison.build_comparison(testing.make_run(), others=others)
    self.assertEqual(section.html.count('<table>'), 2)
    self.assertIn('<th scope="row">LG-FedAvg, median</th>', section.html)
    self.assertIn('<th scope="row">LG-FedAvg − LG-FedAvg, median</th>', section.html)
    self.assertEqual([item.name for item in section.illustrations], ['improvement_compared'])

  def test_private_runs(self):
    spent = {'privacy/epsilon': 8.0}
    metrics = testing.make_run().metrics.assign(**{'privacy/epsilon': [2.0, 5.0, 8.0]})
    private = testing.make_run(path='runs/y', summary=spent, metrics=metrics)
    section = comparison.build_comparison(testing.make_run(), others=[private])
    self.assertIn('What privacy costs', section.html)
    self.assertEqual(section.html.count('<table>'), 3)
    shown = [item.name for item in section.illustrations]
    self.assertEqual(shown, ['accuracy_by_epsilon', 'improvement_compared'])
    alone = comparison.build_comparison(private)
    self.assertNotIn('What privacy costs', alone.html)

  def test_other_metric(self):
    metric = 'participant_test/accuracy'
    clients = testing.make_run().clients
    clients = clients.assign(**{metric: [0.5, 0.5], f'local_only/{metric}': [0.4, 0.4]})
    section = comparison.build_comparison(testing.make_run(clients=clients), metric=metric)
    self.assertIn('participant test accuracy (%)', section.html)
    (illustration,) = section.illustrations
    self.assertIn('participant test accuracy of their locally trained', illustration.caption)

  def test_other_runs_without_baseline(self):
    clients = testing.make_run().clients[['local_test/accuracy']]
    run = testing.make_run(clients=clients)
    section = comparison.build_comparison(run, others=[testing.make_run(path='runs/y')])
    self.assertIn('--baselines=local_only', section.html)
    self.assertEmpty(section.illustrations)

  def test_nothing_to_compare(self):
    run = testing.make_run(clients=testing.make_run().clients[['local_test/accuracy']])
    self.assertIsNone(comparison.build_comparison(run))

  def test_other_split(self):
    other = testing.make_run(path='runs/y', clients=testing.make_run().clients.iloc[:1])
    with self.assertRaisesRegex(RunFolderError, 'runs/y: there is no client b'):
      comparison.build_comparison(testing.make_run(), others=[other])


if __name__ == '__main__':
  absltest.main()
