"""Every Keras layer that users meet, at four clients at a time; a crash is a failed test."""

from absl.testing import absltest, parameterized

from tests import processes


class LayerStressTest(parameterized.TestCase):
  @parameterized.parameters('dense', 'normalization', 'convolution', 'recurrence')
  def test_clients_at_a_time_get_what_each_gets_alone(self, group):
    result = processes.run_python('-m', 'tests.runtime.layer_stress', group)
    message = f'after {result.stdout.split()}: {result.stderr[-3000:]}'
    self.assertEqual(result.returncode, 0, message)


if __name__ == '__main__':
  absltest.main()
