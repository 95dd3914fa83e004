"""Tests of the invented run folder."""

import filecmp
import os

from absl.testing import absltest

from tff_lg.analysis import synthetic


class SyntheticTest(absltest.TestCase):
  def test_same_seed_same_files(self):
    first, second = self.create_tempdir().full_path, self.create_tempdir().full_path
    for path in (first, second):
      synthetic.write_synthetic_run_folder(path, num_clients=2, num_rounds=2, seed=3)
    names = os.listdir(first)
    self.assertIn('clients.parquet', names)
    names.remove('baselines')
    _, different, _ = filecmp.cmpfiles(first, second, names, shallow=False)
    self.assertEmpty(different)

  def test_overwrites_itself(self):
    path = self.create_tempdir().full_path
    synthetic.write_synthetic_run_folder(path, num_clients=2, num_rounds=2)
    synthetic.write_synthetic_run_folder(path, num_clients=3, num_rounds=2)

  def test_refuses_to_overwrite_anything_else(self):
    for name, content in (('hparams.json', '{"method": "fedavg"}'), ('notes.txt', '')):
      folder = self.create_tempdir()
      folder.create_file(name, content=content)
      with self.assertRaisesRegex(ValueError, 'must not be overwritten'):
        synthetic.write_synthetic_run_folder(folder.full_path)
      self.assertEqual(os.listdir(folder.full_path), [name])


if __name__ == '__main__':
  absltest.main()
