"""Tests of mixtures of two models, on the embedded digits."""

import dataclasses

import numpy as np
from absl.testing import absltest

from tff_lg import simulation
from tff_lg.analysis.figures import mixing as figures
from tff_lg.experiments import mixing, mixing_config

_SMALL = mixing_config.MixingConfig(num_points=8)


def setUpModule():
  simulation.set_execution_context()


class MixingTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.result = mixing.run_mixing(_SMALL)

  def test_the_mean_helps_from_shared_weights_alone(self):
    shared, independent = (self.result.halves[start] for start in mixing.STARTS)
    self.assertLess(shared, min(self.result.alone['shared']))
    self.assertGreater(independent, max(self.result.alone['independent']))

  def test_first_models_are_the_same(self):
    firsts = [self.result.alone[start][0] for start in mixing.STARTS]
    self.assertEqual(*firsts)
    self.assertNotEqual(*(self.result.alone[start][1] for start in mixing.STARTS))

  def test_points_and_summary(self):
    np.testing.assert_allclose(self.result.thetas[[0, 1, -1]], [-0.2, 0.0, 1.2], atol=1e-12)
    # The weight 0 is the second model, 1 is the first.
    self.assertAlmostEqual(self.result.losses['shared'][1], self.result.alone['shared'][1])
    found = self.result.summary()
    self.assertEqual(found['shared/loss/mean_of_both'], self.result.halves['shared'])
    self.assertIn('shared initial weights: loss', self.result.as_text())

  def test_table(self):
    header, first, *_ = self.result.as_csv().splitlines()
    self.assertEqual(header, 'theta,shared,independent')
    shared, independent = (self.result.losses[start][0] for start in mixing.STARTS)
    np.testing.assert_allclose([*map(float, first.split(','))], [-0.2, shared, independent])

  def test_seed_decides(self):
    again, other = (mixing.run_mixing(dataclasses.replace(_SMALL, seed=n)) for n in (0, 1))
    self.assertEqual(again.halves, self.result.halves)
    self.assertNotEqual(other.halves, self.result.halves)

  def test_figure_has_a_panel_for_each_start(self):
    result = self.result
    figure = figures.loss_over_mixing_weight(result.thetas, result.losses, result.alone)
    self.assertEqual(
      [plot.get_title() for plot in figure.axes],
      [f'{start} initial weights' for start in mixing.STARTS],
    )


if __name__ == '__main__':
  absltest.main()
