"""Tests of the figure of accuracy against leakage."""

import numpy as np
from absl.testing import absltest

from tests.analysis.fairness import testing
from tff_lg.analysis import style
from tff_lg.analysis.figures import fair


class AccuracyAgainstLeakageTest(absltest.TestCase):
  def test_panels(self):
    figure = fair.accuracy_against_leakage(testing.results())
    self.assertEqual(
      [axes.get_title('left') for axes in figure.axes],
      [
        'IID: AUC of the adversary in training',
        'IID: AUC of boosting, fitted afterwards',
        'non-IID: AUC of the adversary in training',
        'non-IID: AUC of boosting, fitted afterwards',
      ],
    )
    axes = figure.axes[2]
    lines = {line.get_label(): line for line in axes.get_lines()}
    np.testing.assert_allclose(lines['LG-FedAvg'].get_xdata(), [65, 65])
    np.testing.assert_allclose(lines['LG-FedAvg'].get_ydata(), [79, 78])
    np.testing.assert_allclose(lines['FedAvg'].get_ydata(), [79])
    self.assertEqual([text.get_text() for text in axes.texts], ['0', '0', '2.5'])
    guess, majority = axes.get_lines()[:2]
    self.assertEqual((guess.get_xdata()[0], majority.get_ydata()[0]), (50, 75))
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    self.assertEqual(legend, ['FedAvg', 'LG-FedAvg'])
    self.assertStartsWith(style.png_bytes(figure), b'\x89PNG')

  def test_a_model_without_a_representation_is_not_drawn(self):
    results = testing.results().replace({'method': {'fedavg': 'own_linear'}})
    for name in ('adversary_auc', 'probe_auc/boosting'):
      is_own = results['method'] == 'own_linear'
      results.loc[is_own, f'local_test/{name}/mean_over_clients'] = np.nan
    figure = fair.accuracy_against_leakage(results)
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    self.assertEqual(legend, ['LG-FedAvg'])

  def test_a_partition_in_which_all_diverged_has_empty_panels(self):
    results = testing.results()
    results.loc[results['partition'] == 'iid', results.filter(like='auc').columns] = np.nan
    figure = fair.accuracy_against_leakage(results)
    self.assertLen(figure.axes, 4)
    self.assertLen(figure.axes[0].get_lines(), 2)  # A guess, and the more frequent class.

  def test_one_partition(self):
    results = testing.results()
    figure = fair.accuracy_against_leakage(results[results['partition'] == 'non_iid'])
    self.assertLen(figure.axes, 2)


if __name__ == '__main__':
  absltest.main()
