"""Tests of the curves of one client: their scores, and where they are drawn."""

import re

import numpy as np
import pandas as pd
from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis import client_curves

_ACCURACY = 'validation/accuracy'


def _table(*scores):
  return pd.DataFrame({_ACCURACY: scores}, index=range(2, 2 + 2 * len(scores), 2))


def _run(**changes):
  """Makes two clients with three evaluations, FedAvg beside them, and local only without rounds."""
  run = testing.make_run()
  fedavg = testing.make_run(client_curves={'a': _table(0.4, 0.4, 0.6)})
  clients = run.clients.assign(**{f'local_only/{_ACCURACY}': [0.7, np.nan]})
  values = {
    'clients': clients,
    'client_curves': {'a': _table(0.4, 0.6, 0.8), 'b': _table(0.5, np.nan, 0.3)},
    'baselines': {'local_only': testing.make_local_only(), 'fedavg': fedavg},
  }
  return testing.make_run(**{**values, **changes})


class ClientCurvesTest(absltest.TestCase):
  def test_line_per_method_and_level_of_one_without_rounds(self):
    curves, metric = client_curves.find_curves(_run(), 'a')
    self.assertEqual(metric, _ACCURACY)
    self.assertEqual(
      [(curve.label, curve.scores.to_dict(), curve.is_level) for curve in curves],
      [
        ('LG-FedAvg', {2: 0.4, 4: 0.6, 6: 0.8}, False),
        ('Local only', {0: 0.7}, True),
        ('FedAvg', {2: 0.4, 4: 0.4, 6: 0.6}, False),
      ],
    )

  def test_client_that_other_methods_do_not_have(self):
    ((curve,), _) = client_curves.find_curves(_run(), 'b')
    self.assertEqual((curve.label, curve.scores.to_dict()), ('LG-FedAvg', {2: 0.5, 6: 0.3}))

  def test_test_data_where_they_chose(self):
    table = pd.DataFrame({'local_test/accuracy': [0.5]}, index=[2])
    run = _run(hparams={'protocol': 'reference'}, client_curves={'a': table}, baselines={})
    ((curve,), metric) = client_curves.find_curves(run, 'a')
    self.assertEqual((curve.scores.to_dict(), metric), ({2: 0.5}, 'local_test/accuracy'))

  def test_places(self):
    html = client_curves.draw(*client_curves.find_curves(_run(), 'a'))
    # Ticks are 40 to 80 by 10: 10 points are (180 - 26) / 4 = 38.5 units; rounds are 199 apart.
    self.assertEqual(
      re.findall('polyline points="(.*?)"', html),
      [
        '48.0,180.0 247.0,103.0 446.0,26.0',
        '48.0,64.5 446.0,64.5',
        '48.0,180.0 247.0,180.0 446.0,103.0',
      ],
    )
    self.assertEqual(re.findall('text-anchor="middle">(.*?)<', html), ['2', '3', '4', '5', '6'])
    self.assertIn('LG-FedAvg 80.00, Local only 70.00, FedAvg 60.00"', html)
    self.assertNotIn('#', html)  # All colours are the page's, light or dark.

  def test_one_round_and_equal_scores(self):
    run = _run(client_curves={'a': _table(0.5)}, baselines={})
    html = client_curves.draw(*client_curves.find_curves(run, 'a'))
    ((x, y),) = re.findall(r'polyline points="([\d.]+),([\d.]+)"', html)
    self.assertEqual(float(x), 48)
    self.assertBetween(float(y), 26, 180)

  def test_labels_are_escaped(self):
    curve = client_curves.Curve('<b>', '#0068ad', '-', pd.Series([0.5], index=[1]))
    html = client_curves.draw([curve], _ACCURACY)
    self.assertNotIn('<b>', html)
    self.assertIn('stroke="var(--blue)"', html)

  def test_long_curves_are_thinned_to_their_ends(self):
    scores = np.linspace(0, 1, 200)
    run = _run(client_curves={'a': _table(*scores)}, baselines={})
    html = client_curves.draw(*client_curves.find_curves(run, 'a'))
    (points,) = re.findall('polyline points="(.*?)"', html)
    self.assertLen(points.split(), 60)
    self.assertStartsWith(points, '48.0,180.0 ')
    self.assertEndsWith(points, ' 446.0,26.0')

  def test_run_without_scores_by_round(self):
    run = _run(client_curves={}, baselines={'local_only': testing.make_local_only()})
    self.assertEqual(client_curves.draw(*client_curves.find_curves(run, 'a')), '')


if __name__ == '__main__':
  absltest.main()
