"""Tests of the sections on an adaptation run."""

import math

import numpy as np
import pandas as pd
from absl.testing import absltest

from tests.analysis import adaptation_testing as testing
from tff_lg.analysis.sections import adaptation


def _headline(clients):
  run = testing.make_run(clients=clients)
  compared = run.compare_models('local_test/accuracy', testing.all_clients(run))
  return adaptation.headline(compared).replace('\N{NO-BREAK SPACE}', ' ')


def _sections(**changes):
  return {
    section.key: section for section in adaptation.adaptation_sections(testing.make_run(**changes))
  }


class HeadlineTest(absltest.TestCase):
  def test_both_sentences(self):
    self.assertEqual(
      _headline(testing.make_clients()),
      'Adaptation, chosen by each client on its validation data, changes the local test accuracy '
      'of the federated model by +10.00 points on average (95 % interval −117.06 to +137.06); 1 '
      'of 2 clients do better, 0 do worse. With the federated model 1 clients (50.0 %) are worse '
      'off than with their locally trained model, after adaptation 0 (0.0 %).',
    )

  def test_no_own_models(self):
    self.assertEndsWith(
      _headline(testing.without_own(testing.make_clients())),
      '1 of 2 clients do better, 0 do worse.',
    )

  def test_one_client(self):
    self.assertNotIn('interval', _headline(testing.make_clients().iloc[:1]))


class SectionsTest(absltest.TestCase):
  def test_all(self):
    sections = _sections()
    self.assertEqual(list(sections), ['result', 'models', 'clients', 'data', 'configuration'])
    self.assertEqual(
      [item.name for item in sections['clients'].illustrations],
      ['improvement', 'adaptation_gain', 'cumulative_gain'],
    )
    self.assertIn('<dd>70.00 ± 20.00 %</dd>', sections['result'].html)
    self.assertIn(
      '<dt>best by validation, clients worse off than alone</dt>', sections['result'].html
    )
    self.assertNotIn('warning', sections['result'].html)

  def test_validation_curves_by_setting(self):
    tried = pd.DataFrame(
      {
        'model': 'fine_tune',
        'learning_rate': [0.01] * 3 + [0.02] * 3,
        'fine_tune_strength': [5] * 3 + [50] * 3,
        'epoch': [0, 5, 10] * 2,
        'validation/accuracy': [0.5, 0.55, 0.6, 0.5, 0.6, 0.7],
      }
    )
    # A vote has no epochs between the federated model and itself.
    vote = pd.DataFrame({'model': 'knn_per', 'epoch': [0, 1], 'validation/accuracy': [0.5, 0.5]})
    sections = _sections(validation_curves=pd.concat([tried, vote]))
    (illustration,) = sections['validation'].illustrations
    (panel,) = illustration.figure.axes
    self.assertEqual(panel.get_title(), 'Fine-tuned\nlearning rate 0.02\nstrength 50')
    self.assertEqual(panel.get_lines()[-1].get_xydata().tolist(), [[10, 70]])
    self.assertNotIn('validation', _sections(validation_curves=vote))
    unknown = tried.assign(**{'validation/accuracy': math.nan})
    self.assertNotIn('validation', _sections(validation_curves=unknown))

  def test_setting_that_was_given_twice_is_one_line(self):
    twice = pd.DataFrame(
      {
        'model': 'fine_tune',
        'learning_rate': 0.01,
        'epoch': [0, 5, 10] * 2,
        'validation/accuracy': [0.5, 0.75, 0.5] * 2,
      }
    )
    (illustration,) = _sections(validation_curves=twice)['validation'].illustrations
    line, mark = illustration.figure.axes[0].get_lines()
    self.assertEqual(line.get_ydata().tolist(), [50, 75, 50])
    self.assertEqual(mark.get_xydata().tolist(), [[5, 75]])

  def test_figures_of_the_numbers(self):
    improvement, gain, cumulative = _sections()['clients'].illustrations
    heights = [
      [round(bar.get_height(), 6) for bar in bars]
      for bars in improvement.figure.axes[0].containers[::2]
    ]
    # By own accuracy: client b (70), then a (80).
    self.assertEqual(heights, [[-20, 10], [0, 10]])
    federated, fine_tuned = gain.figure.axes[0].collections
    np.testing.assert_allclose(federated.get_offsets(), [[80, 0]], atol=0.1)
    np.testing.assert_allclose(fine_tuned.get_offsets(), [[70, 20]], atol=0.1)
    own, _ = cumulative.figure.axes
    self.assertEqual(own.get_lines()[0].get_ydata().round(6).tolist(), [0, 5, -5])

  def test_figures_by_data(self):
    scores, over_own, over_federated = _sections()['data'].illustrations
    self.assertEqual(scores.name, 'accuracy_by_data')
    labels = [line.get_label() for line in over_own.figure.axes[0].get_lines()[:-1]]
    self.assertEqual(labels, ['Federated', 'Best by validation'])
    lines = over_federated.figure.axes[0].get_lines()[:-1]
    self.assertEqual([line.get_label() for line in lines], ['Fine-tuned', 'Best by validation'])
    self.assertEqual(lines[0].get_xydata().round(6).tolist(), [[100, 0], [1000, 20]])

  def test_no_own_models(self):
    sections = _sections(clients=testing.without_own(testing.make_clients()))
    gain, cumulative = sections['clients'].illustrations
    self.assertEqual(gain.figure.axes[0].get_xlabel(), 'federated model: local test accuracy (%)')
    self.assertLen(cumulative.figure.axes, 1)
    self.assertLen(sections['data'].illustrations, 2)
    self.assertNotIn('worse off', sections['result'].html)

  def test_no_size_or_complexity(self):
    clients = testing.make_clients()
    for without in (clients.drop(columns='num_train'), clients.assign(num_classes=math.nan)):
      self.assertNotIn('data', _sections(clients=without))

  def test_held_out_clients(self):
    sections = _sections(clients=testing.make_clients().assign(is_held_out=[0.0, 1.0]))
    self.assertIn('Over the 1 clients', sections['models'].html)
    self.assertEqual(sections['held_out'].title, 'Held-out clients, which training never saw')
    self.assertIn('by +20.00 points', sections['held_out'].html)

  def test_warnings(self):
    run = {
      'clients': testing.make_clients().assign(is_held_out=1.0),
      'source': {'protocol': 'reference'},
    }
    html = _sections(**run)['result'].html
    self.assertIn('Held-out clients, which training never saw: the run has no other clients.', html)
    self.assertIn('chosen on test data', html)

  def test_command(self):
    html = _sections()['configuration'].html
    self.assertIn('python -m pipelines.adapt \\\n  --adaptation=fine_tune \\\n  --epochs=4', html)
    self.assertIn('--run_dir=runs/x_again', html)
    self.assertNotIn('source', html)


class TitleTest(absltest.TestCase):
  def test_what_was_adapted(self):
    for source, expected in (
      ({'method': 'fedavg', 'task': 'digits'}, 'Local adaptation of FedAvg on digits'),
      ({'method': 'fedavg', 'aggregator': 'dp_mean'}, 'Local adaptation of FedAvg, DP mean'),
      ({}, 'Local adaptation of a run'),
    ):
      self.assertEqual(adaptation.adaptation_title(testing.make_run(source=source)), expected)


if __name__ == '__main__':
  absltest.main()
