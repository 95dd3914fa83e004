"""Tests that tasks look at their files before TensorFlow starts."""

import gzip
import pathlib

from absl.testing import absltest, parameterized

from tff_lg import config as config_lib
from tff_lg import data, tasks


class LookAtFilesTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)

  def _look(self, task, data_dir=None, **options):
    config = config_lib.TrainConfig(task=task, **options)
    entry = tasks.TASKS[task]
    entry.look_at_files(config_lib.TASK_OPTIONS.build(config, task), data_dir)

  @parameterized.parameters(
    ('arrays', 'train.npz', b'x,y\n1,2', "train.npz: begins with b'x,y.n1,2', expected an npz"),
    ('arrays', 'test.npz', b'', 'test.npz: is empty, expected an npz file'),
    ('client_files', 'ann.npz', b'\x93NUMPY', 'ann.npz: begins with .*, expected an npz file'),
    ('mnist', 't10k-images-idx3-ubyte', b'<html>', 'expected an idx file'),
    ('mnist', 't10k-images-idx3-ubyte.gz', gzip.compress(b'<html>'), "begins with b'<html>'"),
    ('mnist', 't10k-images-idx3-ubyte.gz', b'\x1f\x8b\x08', 'cannot be unpacked by gzip'),
    ('cifar10', 'data_batch_1', b'<html>', 'expected a python batch of CIFAR-10'),
    ('text', 'a.jsonl', b'user,text', 'expected JSON'),
    ('vqa', 'v2_mscoco_train_questions.json', b'PK\x03\x04', 'expected JSON'),
  )
  def test_other_kinds_are_refused(self, task, name, content, sentence):
    (self.folder / name).write_bytes(content)
    with self.assertRaisesRegex(data.DataError, sentence):
      self._look(task, str(self.folder))

  @parameterized.parameters(
    ('arrays', 'no train.npz found'),
    ('mnist', 'no train-images-idx3-ubyte'),
    ('cifar10', 'no data_batch_1 found'),
    ('text', 'no text found'),
    ('table', 'no'),
    ('mood', 'mood.csv'),
    ('school', 'school.mat not found'),
    ('vehicle', 'vehicle.mat not found'),
    ('images', 'no image found'),
    ('vqa', '0 files .*train.*_questions.json found'),
  )
  def test_missing_files_are_told(self, task, sentence):
    with self.assertRaisesRegex((data.DataError, OSError), sentence):
      self._look(task, str(self.folder))

  @parameterized.parameters(*tasks.TASKS)
  def test_no_files_are_none(self, task):
    self._look(task)

  def test_folders_that_are_not_there(self):
    for task in ('digits', 'mnist', 'table', 'client_files'):
      with self.assertRaisesRegex(data.DataError, 'data_dir: nowhere found, expected a file or'):
        self._look(task, 'nowhere')

  def test_other_files_that_options_name(self):
    for task, option, sentence in (
      ('embeddings', 'clients', 'nowhere: no file found, expected an npz file'),
      ('vqa', 'embeddings', 'nowhere: no file found, expected an npz file'),
      ('vqa', 'answers_file', 'nowhere: cannot be read as UTF-8'),
      ('mood', 'vocabulary_file', 'nowhere: cannot be read as UTF-8'),
    ):
      with self.assertRaisesRegex(data.DataError, sentence):
        self._look(task, **{option: 'nowhere'})

  def test_text_of_tff_has_files_of_its_own(self):
    self._look('text', str(self.folder), text_source='tff_shakespeare')


if __name__ == '__main__':
  absltest.main()
