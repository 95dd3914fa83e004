"""Tests that the glossary explains what the run has, and nothing else."""

from absl.testing import absltest, parameterized

from tests.analysis import testing
from tff_lg.analysis.sections import glossary


class GlossaryTest(parameterized.TestCase):
  def test_lines_of_metrics_that_the_run_has(self):
    run = testing.make_run(
      summary={'gain_over/local_only/local_test/accuracy/mean_over_clients': 0.1},
      metrics=testing.make_run().metrics[['train/loss']],
    )
    html = glossary.build_glossary(run).html
    self.assertEqual(html.count('<code>'), 2)
    self.assertIn('train/<wbr>loss', html)
    self.assertIn('gain_over/<wbr>METHOD/<wbr>local_test', html)

  def test_privacy_and_attack(self):
    summary = {'privacy/epsilon': 1.0, 'backdoor/success': 0.1, 'attack/malicious_share': 0.2}
    html = glossary.build_glossary(testing.make_run(summary=summary)).html
    for name in ('privacy/<wbr>epsilon', 'backdoor/<wbr>success', 'attack/<wbr>malicious_share'):
      self.assertIn(f'<code>{name}</code>', html)
    self.assertIn('Metrics are computed without noise', html)
    self.assertNotIn('without noise', glossary.build_glossary(testing.make_run()).html)

  @parameterized.parameters(
    ({}, 'the highest accuracy on its own validation data'),
    ({'protocol': 'reference'}, 'the highest accuracy on its own test data'),
    ({'selection_metric': 'loss'}, 'the lowest loss on its own validation data'),
    (
      {'selection_metric': 'loss', 'selection_scope': 'pooled'},
      'the lowest loss on all clients&#39; validation examples pooled. Ties go to the '
      'later round. It is one round for all clients.',
    ),
    (
      {'protocol': 'reference', 'selection_scope': 'pooled'},
      'the highest accuracy on all clients&#39; test examples pooled',
    ),
  )
  def test_says_how_the_best_round_is_chosen(self, hparams, sentence):
    html = glossary.build_glossary(testing.make_run(hparams=hparams)).html
    self.assertIn(sentence, html)
    self.assertEqual(html.count('est round is the evaluated round after'), 1)

  def test_says_that_a_sample_of_clients_chooses(self):
    run = testing.make_run()
    run = testing.make_run(
      hparams={'selection_scope': 'pooled'}, summary={**run.summary, 'evaluated/num_clients': 1}
    )
    sentence = 'on the evaluated clients&#39; validation examples pooled'
    self.assertIn(sentence, glossary.build_glossary(run).html)

  def test_no_known_metric(self):
    run = testing.make_run(summary={'a': 1}, metrics=testing.make_run().metrics[[]])
    self.assertIsNone(glossary.build_glossary(run))


if __name__ == '__main__':
  absltest.main()
