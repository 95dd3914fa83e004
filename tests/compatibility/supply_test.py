"""Tests of what TFF gets in place of packages that are not installed."""

import importlib.util
import subprocess

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tests import processes
from tff_lg.compatibility import tff, tfp

_IS_OLD = tf.__version__.startswith('2.14.')


def _run(program: str, **variables: str) -> subprocess.CompletedProcess[str]:
  return processes.run_python('-c', program, **variables)


class SupplyTest(absltest.TestCase):
  def test_keras_is_legacy_keras(self):
    self.assertRegex(tf.keras.__name__, r'^(tf_keras|keras)\.api\._v2')

  @absltest.skipIf(importlib.util.find_spec('jax'), 'JAX is installed.')
  def test_jax_computations_say_what_is_missing(self):
    with self.assertRaisesRegex(ImportError, r'jax\.computation is used, .* needs JAX 0\.4\.14'):
      tff.jax.computation(lambda x: x, np.float32)

  @absltest.skipIf(importlib.util.find_spec('vizier'), 'Vizier is installed.')
  def test_vizier_says_what_is_missing(self):
    with self.assertRaisesRegex(ImportError, 'needs the package google-vizier'):
      tff.learning.programs.train_model_with_vizier()

  def test_real_queries_and_encodings_are_there(self):
    query = tfp.GaussianSumQuery(l2_norm_clip=1.0, stddev=0.0)
    parameters = query.derive_sample_params(query.initial_global_state())
    clipped = query.preprocess_record(parameters, tf.constant([3.0, 4.0]))
    np.testing.assert_allclose(clipped, [0.6, 0.8], rtol=1e-6)
    factory = tff.aggregators.EncodedSumFactory.__module__
    self.assertEqual(factory, 'tensorflow_federated.python.aggregators.encoded')

  @absltest.skipIf(_IS_OLD, 'Keras 3 belongs to TensorFlow 2.16 and later.')
  def test_keras_3_in_use_is_refused(self):
    result = _run(
      'import tensorflow as tf; tf.keras.Model\nimport tff_lg.compatibility',
      TF_USE_LEGACY_KERAS='0',
    )
    self.assertEqual(result.returncode, 1)
    self.assertIn('ImportError: TensorFlow is in use with Keras 3', result.stderr)


if __name__ == '__main__':
  absltest.main()
