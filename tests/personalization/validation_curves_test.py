"""Tests of the table of means over validation data, by hand."""

import numpy as np
from absl.testing import absltest

from tff_lg.personalization import adapting, validation_curves


def _adapted(settings, epochs, pooled):
  unused = np.zeros(0)
  return adapting.Adapted(
    settings=settings,
    setting=unused,
    epoch=unused,
    is_finite=unused,
    values={},
    curves=unused,
    evaluated_epochs=np.array(epochs),
    pooled=np.array(pooled),
    num_validation=unused,
    aggregated={},
  )


class BuildCurvesTest(absltest.TestCase):
  def test_one_row_per_adaptation_setting_and_epoch(self):
    table = validation_curves.build_curves(
      {
        'fine_tune': _adapted(({'learning_rate': 0.5},), [0, 2], [[0.25, 0.75]]),
        'ewc': _adapted(
          (
            {'learning_rate': 0.5, 'ewc_strength': 5.0},
            {'learning_rate': 1.0, 'ewc_strength': 5.0},
          ),
          [0, 2],
          [[0.25, 0.5], [0.25, 0.125]],
        ),
      },
      'accuracy',
    )
    self.assertEqual(
      table.to_csv(index=False, lineterminator='\n'),
      'model,learning_rate,ewc_strength,epoch,validation/accuracy\n'
      'fine_tune,0.5,,0,0.25\n'
      'fine_tune,0.5,,2,0.75\n'
      'ewc,0.5,5.0,0,0.25\n'
      'ewc,0.5,5.0,2,0.5\n'
      'ewc,1.0,5.0,0,0.25\n'
      'ewc,1.0,5.0,2,0.125\n',
    )


if __name__ == '__main__':
  absltest.main()
