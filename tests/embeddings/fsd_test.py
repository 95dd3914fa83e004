"""Tests of the list of clips, on CSV files of a few lines."""

import os
import shutil

import numpy as np
from absl.testing import absltest, parameterized

from tests.embeddings import testing
from tff_lg.embeddings import embedding_set, fsd

_TRAIN_CSV = 'FSDKaggle2018.meta/train_post_competition.csv'
_TEST_CSV = 'FSDKaggle2018.meta/test_post_competition_scoring_clips.csv'


class FsdTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    clips = {
      'train': [('01.wav', 'Tom', None), ('02.wav', 'Cough', None)],
      'test': [('03.wav', 'Cough', None), ('04.wav', 'Bark', None)],
    }
    self.folder = testing.write_clips(self.create_tempdir().full_path, clips)

  def test_all_labels(self):
    clips = fsd.list_clips(str(self.folder))
    np.testing.assert_array_equal(clips.ids, ['01.wav', '02.wav', '03.wav', '04.wav'])
    np.testing.assert_array_equal(clips.split, ['train', 'train', 'test', 'test'])
    np.testing.assert_array_equal(clips.class_names, ['Bark', 'Cough', 'Tom'])
    np.testing.assert_array_equal(clips.y, [2, 1, 1, 0])
    self.assertEqual(clips.y.dtype, np.int32)
    self.assertEqual(clips.paths[1], str(self.folder / 'FSDKaggle2018.audio_train/02.wav'))
    self.assertEqual(clips.paths[2], str(self.folder / 'FSDKaggle2018.audio_test/03.wav'))

  def test_one_class_against_the_rest(self):
    clips = fsd.list_clips(str(self.folder), positive_class='Cough')
    np.testing.assert_array_equal(clips.class_names, ['rest', 'Cough'])
    np.testing.assert_array_equal(clips.y, [0, 1, 1, 0])
    self.assertEqual(clips.y.dtype, np.int32)

  def test_take(self):
    clips = fsd.list_clips(str(self.folder)).take(np.array([3, 0]))
    np.testing.assert_array_equal(clips.ids, ['04.wav', '01.wav'])
    np.testing.assert_array_equal(clips.y, [0, 2])
    np.testing.assert_array_equal(clips.split, ['test', 'train'])
    np.testing.assert_array_equal(clips.class_names, ['Bark', 'Cough', 'Tom'])

  def test_names_that_look_like_something_else(self):
    (self.folder / _TRAIN_CSV).write_text('label,fname\nNA,001\nnull,1e3\n')
    clips = fsd.list_clips(str(self.folder))
    np.testing.assert_array_equal(clips.ids[:2], ['001', '1e3'])
    np.testing.assert_array_equal(clips.class_names, ['Bark', 'Cough', 'NA', 'null'])

  def _assert_refused(self, message, **arguments):
    with self.assertRaisesRegex(embedding_set.EmbeddingError, message):
      fsd.list_clips(str(self.folder), **arguments)

  def test_missing_data_dir(self):
    shutil.rmtree(self.folder)
    self._assert_refused('--data_dir: .* found, expected an existing folder')

  @parameterized.parameters(_TRAIN_CSV, _TEST_CSV)
  def test_missing_csv(self, name):
    os.remove(self.folder / name)
    self._assert_refused(f'no {name} found')

  @parameterized.parameters('FSDKaggle2018.audio_train', 'FSDKaggle2018.audio_test')
  def test_missing_folder(self, name):
    shutil.rmtree(self.folder / name)
    self._assert_refused(f'no folder {name} found')

  def test_missing_column(self):
    (self.folder / _TEST_CSV).write_text('file,label\n03.wav,Cough\n')
    self._assert_refused('clips.csv: columns file, label found, expected fname and label')

  def test_empty_file(self):
    (self.folder / _TEST_CSV).write_text('')
    self._assert_refused('clips.csv: cannot be read as CSV')

  def test_no_label(self):
    (self.folder / _TRAIN_CSV).write_text('fname,label\n01.wav,Tom\n02.wav,\n')
    self._assert_refused('train_post_competition.csv: row 2 has no fname or no label')

  def test_listed_twice(self):
    (self.folder / _TRAIN_CSV).write_text('fname,label\n03.wav,Tom\n')
    self._assert_refused('clip 03.wav is listed twice')

  def test_unknown_positive_class(self):
    self._assert_refused(
      '--positive_class: no clip of cough found .* expected one of Bark, Cough, Tom',
      positive_class='cough',
    )


if __name__ == '__main__':
  absltest.main()
