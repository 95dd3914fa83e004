"""Tests of configs of mixtures, and of what published tables read of a run."""

import os

from absl.testing import absltest

from pipelines import mixing_run
from tff_lg.experiments.mixing_config import MixingConfig


class MixingRunTest(absltest.TestCase):
  def test_given_and_default(self):
    config = mixing_run.config_from_arguments(['--epochs=3', '--data_dir=x'])
    self.assertEqual(config, MixingConfig(data_dir='x', epochs=3))
    fast = mixing_run.config_from_arguments(['--fast', '--seed=4'])
    self.assertEqual((fast.epochs, fast.seed), (2, 4))

  def test_what_is_written_is_what_is_read(self):
    folder = self.create_tempdir().full_path
    config = MixingConfig(epochs=1, num_points=2, seed=3)
    result = mixing_run.run(config, folder)
    found = mixing_run.load_folder(folder)
    for name, number in result.summary().items():
      self.assertAlmostEqual(found.value(name), number)
    with open(os.path.join(folder, 'flags.txt'), encoding='utf-8') as file:
      flags = file.read().splitlines()
    self.assertEqual(mixing_run.config_from_arguments(flags), config)


if __name__ == '__main__':
  absltest.main()
