"""Tests for tff_lg.analysis.client_verdicts."""

import numpy as np
from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis import client_verdicts


class ClientVerdictsTest(absltest.TestCase):
  def test_sentences(self):
    first, second = client_verdicts.verdict_sentences(testing.make_judged_run())
    self.assertEqual(
      first.replace('\N{NO-BREAK SPACE}', ' '),
      '1 of 2 clients should take part, 0 should not; for 1 their test data cannot tell. At most 5 '
      '% of the clients called better or worse are expected to be called so by chance.',
    )
    self.assertIn('20\N{NO-BREAK SPACE}% of clients are worse off (95', second)

  def test_without_a_share(self):
    run = testing.make_judged_run()
    summary = {**run.summary, 'verdict_over/local_only/share_truly_worse': np.nan}
    sentences = client_verdicts.verdict_sentences(testing.make_judged_run(summary=summary))
    self.assertLen(sentences, 1)

  def test_table(self):
    table = client_verdicts.load_verdicts(testing.make_judged_run())
    self.assertEqual(table.loc['a', 'verdict'], 'better')
    self.assertEqual((table.loc['b', 'own'], table.loc['b', 'federated']), (0.7, 0.5))

  def test_clients_without_test_examples_are_left_out(self):
    run = testing.make_judged_run()
    clients = run.clients.copy()
    clients.loc['b', 'verdict_over/local_only/difference'] = np.nan
    run = testing.make_judged_run(clients=clients)
    self.assertEqual(list(client_verdicts.load_verdicts(run).index), ['a'])

  def test_runs_without_verdicts(self):
    self.assertIsNone(client_verdicts.load_verdicts(testing.make_run()))
    self.assertEqual(client_verdicts.verdict_sentences(testing.make_run()), [])


if __name__ == '__main__':
  absltest.main()
