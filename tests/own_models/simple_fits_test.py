"""Tests of what a client's own simple model scores, by hand."""

import types

import numpy as np
from absl.testing import absltest

from tff_lg import data, metrics, simple_models
from tff_lg.own_models import simple_fits


def _fits(objective, x, y, num_classes, pool=None, *, model_metrics):
  """Returns fits of one client with these examples, all of them also its validation and test."""
  examples = data.Examples(np.array(x, np.float32)[:, None], np.array(y))
  client = data.ClientExamples('only', examples, examples, examples)
  return simple_fits.SimpleFits(
    model=simple_models.SIMPLE_MODELS['linear'],
    selection=types.SimpleNamespace(
      seed=0, predicts=metrics.OBJECTIVES[objective], model_metrics=model_metrics
    ),
    federated_data=data.FederatedData(
      (client,),
      data.Examples(np.array([[5.0], [-5.0], [-6.0]], np.float32), np.array([1, 0, 1], np.int32)),
      num_classes,
      (),
    ),
    pool=pool,
  )


class SimpleFitsTest(absltest.TestCase):
  def test_two_classes(self):
    y = np.array([0, 0, 1, 1], np.int32)
    pool = types.SimpleNamespace(
      of_others=lambda client: data.Examples(
        np.array([[-4.0], [4.0]], np.float32), np.array([0, 0], np.int32)
      )
    )
    fits = _fits('classification', [-2, -1, 1, 2], y, 2, pool, model_metrics=('accuracy',))
    (found,) = fits.score_all(np.array([0]), 100.0)
    self.assertEqual(found['validation/accuracy'], 1.0)
    self.assertEqual((found['local_test/accuracy'], found['local_test/auc']), (1.0, 1.0))
    self.assertEqual(found['others_test/accuracy'], 0.5)
    np.testing.assert_array_equal(found['class_correct'], [1, 1])
    np.testing.assert_array_equal(found['of_examples'], [1, 1, 1, 1])
    of_label = np.where(y == 1, found['probability'], 1 - found['probability'])
    self.assertAlmostEqual(found['local_test/loss'], -np.log(of_label).mean())
    (of_part,) = fits.score_part(np.array([0]), 100.0, 'validation')
    self.assertEqual(of_part, {name: found[name] for name in of_part})
    self.assertCountEqual(of_part, ['validation/accuracy', 'validation/loss'])

  def test_numbers(self):
    fits = _fits('regression', [4], np.array([3.0], np.float32), 1, model_metrics=('mae',))
    (found,) = fits.score_all(np.array([0]), 1.0)
    np.testing.assert_array_equal(found['prediction'], [3.0])
    self.assertEqual((found['local_test/mae'], found['local_test/loss']), (0.0, 0.0))
    self.assertNoCommonElements(found, ['class_correct', 'probability', 'others_test/mae'])


if __name__ == '__main__':
  absltest.main()
