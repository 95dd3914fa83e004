"""Tests of the tables, their numbers by hand."""

import math
from unittest import mock

import pandas as pd
from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis import figures, goals, synthetic, tables
from tff_lg.analysis.sections import result


def _run(**changes):
  return testing.make_run(baselines={'local_only': testing.make_local_only()}, **changes)


class NumbersTest(absltest.TestCase):
  """A run that predicts a number, by its mean absolute error."""

  def _run(self):
    clients = pd.DataFrame(
      {
        'local_test/mae': [1.0, 2.0, 3.0],
        'local_only/local_test/mae': [2.0, 2.5, 2.5],
        'local_only/local_test/loss': [1.0, 1.0, 1.0],
      },
      index=['a', 'b', 'c'],
    )
    summary = {
      'local_test/mae/mean_over_clients': 2.0,
      'local_test/mae/std_over_clients': 0.5,
      'others_test/mae/mean_over_clients': 4.0,
      'others_test/mae/std_over_clients': 1.25,
      'rounds_to/2.5/local_test/mae/pooled': 7.0,
    }
    hparams = {'objective': 'regression', 'goal_accuracy': [2.5]}
    return testing.make_run(summary=summary, clients=clients, hparams=hparams, baselines={})

  def test_methods(self):
    table = tables.methods_table(self._run())
    self.assertEqual(table.columns[1], ('local test MAE', 'mean ± std'))
    self.assertEqual(table.columns[2], ("others' test MAE", 'mean ± std'))
    self.assertEqual(table.rows[0][1:3], ('2 ± 0.5', '4 ± 1.25'))

  def test_a_lower_error_is_a_gain(self):
    table = tables.paired_table(self._run())
    self.assertEqual(table.columns[1], ('local test MAE (decrease)', 'mean'))
    label, mean, _, *counts = table.rows[0]
    self.assertEqual((label, mean), ('Local only − LG-FedAvg', '+0.3333'))
    self.assertEqual(counts, ['2', '0', '1'])

  def test_sentences(self):
    run = self._run()
    self.assertIn(
      'The mean decrease is +0.3333 (95 % interval', result.headline(run).replace('\xa0', ' ')
    )
    self.assertStartsWith(
      goals.goal_sentences(run)[0], '2.5 pooled local test MAE: LG-FedAvg after 7'
    )

  def test_figures_are_drawn_in_the_metric(self):
    run = self._run()
    own, federated = run.client_accuracy('local_only'), run.client_accuracy()
    bars = figures.improvement_bars(own, {'LG-FedAvg': federated}, metric=run.local_test)
    # The client with an error of 2 alone gains 1, the two with 2.5 nothing on average.
    self.assertEqual([bar.get_height() for bar in bars.axes[0].patches], [1.0, 0.0])
    scatter = figures.client_scatter(own, federated, method='lg_fedavg', metric=run.local_test)
    self.assertEqual(scatter.axes[0].get_ylabel(), 'LG-FedAvg: local test MAE')
    labels = [text.get_text() for text in scatter.axes[0].get_legend().get_texts()]
    self.assertStartsWith(labels[0], 'better with LG-FedAvg: 2')


class MethodsTableTest(absltest.TestCase):
  def test_rows(self):
    summary = {
      'local_test/accuracy/mean_over_clients': 0.9877,
      'local_test/accuracy/std_over_clients': 0.0009,
      'new_test/accuracy/ensemble_probability': 0.9772,
      'new_test/accuracy/ensemble_vote': math.nan,
      'communication/parameters_total': 2.86e10,
      'communication/bytes_total': 1.144e11,
      'rounds/lg': 100,
      'rounds/fedavg': 400,
      'protocol/note': 'Models were chosen on validation data.',
    }
    table = tables.methods_table(_run(summary=summary))
    self.assertEqual(
      [column.name for column in table.columns],
      ['method', 'mean ± std', 'probabilities', 'vote', 'rounds', 'parameters', 'bytes'],
    )
    self.assertEqual(
      table.rows,
      (
        ('Local only', '75.00 ± 5.00', '–', '–', '3', '0', '0 B'),
        ('LG-FedAvg', '98.77 ± 0.09', '97.72', '–', '400 + 100', '2.86e10', '114.4 GB'),
      ),
    )
    self.assertEqual(table.notes[-1], 'Models were chosen on validation data.')

  def test_nothing_known(self):
    table = tables.methods_table(testing.make_run(summary={}))
    self.assertEqual(table.rows, (('LG-FedAvg', '–', '–', '–', '–'),))

  def test_no_round(self):
    table = tables.methods_table(testing.make_run(summary={'rounds/fedavg': 0}))
    self.assertEqual(table.rows[0][2], '0')


class PairedTableTest(absltest.TestCase):
  def test_rows(self):
    # Differences +10 and -20 points: mean -5, s = 21.2132, t(.975, 1) = 12.7062.
    self.assertEqual(
      tables.paired_table(_run()).rows,
      (('LG-FedAvg − Local only', '−5.00', '−195.59 to +185.59', '1', '0', '1'),),
    )

  def test_one_client(self):
    run = _run(clients=testing.make_run().clients.iloc[:1])
    self.assertEqual(
      tables.paired_table(run).rows[0], ('LG-FedAvg − Local only', '+10.00', '–', '1', '0', '0')
    )

  def test_no_baseline(self):
    clients = testing.make_run().clients[['local_test/accuracy']]
    self.assertIsNone(tables.paired_table(testing.make_run(clients=clients)))


class RenderTest(absltest.TestCase):
  TABLE = tables.Table(
    columns=(
      tables.Column('', 'method'),
      tables.Column('a wide group', 'x'),
      tables.Column('a wide group', 'y'),
    ),
    rows=(('A & B', '1.00', '22'), ('C', '–', '3')),
    notes=('A note.',),
  )

  def test_text(self):
    self.assertEqual(
      tables.to_text(self.TABLE),
      '        a wide group\n'
      'method     x       y\n'
      '------  ----  ------\n'
      'A & B   1.00      22\n'
      'C          –       3\n'
      'A note.',
    )

  def test_html(self):
    html = tables.to_html(self.TABLE)
    self.assertIn('<th colspan="2" class="group">a wide group</th>', html)
    self.assertIn('<tr><th scope="row">A &amp; B</th><td>1.00</td><td>22</td></tr>', html)
    self.assertIn('<p class="note">A note.</p>', html)

  def test_markdown(self):
    table = tables.Table(
      (tables.Column('', 'method'), tables.Column('local test', 'mean')),
      (('a|b', '1.00'), ('c', '2.00')),
      ('A note.',),
    )
    self.assertEqual(
      tables.to_markdown(table),
      '| method | local test mean |\n|---|---:|\n| a\\|b | 1.00 |\n| c | 2.00 |\n\nA note.',
    )

  def test_comparison_text(self):
    path = self.create_tempdir().full_path
    synthetic.write_synthetic_run_folder(path, num_clients=2, num_rounds=2)
    text = tables.comparison_text(path)
    for row in ('\nLocal only ', '\nFedAvg ', '\nLG-FedAvg ', '\nLG-FedAvg − Local only '):
      self.assertIn(row, text)

  def test_comparison_text_says_who_should_take_part(self):
    with mock.patch.object(tables.RunFolder, 'load', return_value=testing.make_judged_run()):
      text = tables.comparison_text('run')
    self.assertIn('\n1 of 2 clients should take part, 0 should not', text)


if __name__ == '__main__':
  absltest.main()
