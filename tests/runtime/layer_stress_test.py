"""Every Keras layer that users meet, at four clients at a time; a crash is a failed test."""

import os
import subprocess
import sys

from absl.testing import absltest, parameterized


class LayerStressTest(parameterized.TestCase):
  @parameterized.parameters('dense', 'normalization', 'convolution', 'recurrence')
  def test_clients_at_a_time_get_what_each_gets_alone(self, group):
    result = subprocess.run(
      [sys.executable, '-m', 'tests.runtime.layer_stress', group],
      capture_output=True,
      text=True,
      env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)},
      check=False,
    )
    message = f'after {result.stdout.split()}: {result.stderr[-3000:]}'
    self.assertEqual(result.returncode, 0, message)


if __name__ == '__main__':
  absltest.main()
