"""Tests of what a run advises."""

from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis import client_advice


class ClientAdviceTest(absltest.TestCase):
  def test_sentences(self):
    run = testing.make_run()
    summary = {
      **run.summary,
      'advice/lg_fedavg/num_clients': 1,
      'advice/local_only/num_clients': 1,
      'advice/fedavg/num_clients': 0,
    }
    clients = run.clients.assign(**{'advice/local_test/accuracy': [0.9, 0.7]})
    baselines = {'local_only': testing.make_local_only(), 'fedavg': run}
    run = testing.make_run(summary=summary, clients=clients, baselines=baselines)
    first, second = client_advice.advice_sentences(run)
    self.assertEqual(
      first,
      'Advice by validation data, of 2 clients: LG-FedAvg for 1, their own model for 1, FedAvg '
      'for 0.',
    )
    self.assertIn('80.00\N{NO-BREAK SPACE}% local test accuracy on average, +5.00 points', second)

  def test_runs_without_advice(self):
    self.assertEqual(client_advice.advice_sentences(testing.make_run()), [])


if __name__ == '__main__':
  absltest.main()
