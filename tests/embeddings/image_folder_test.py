"""Tests of finding the images in a folder."""

import os

from absl.testing import absltest

from tff_lg.embeddings import embedding_set, image_folder


class ImageFolderTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir()

  def _write(self, *names):
    for name in names:
      self.folder.create_file(name)

  def test_hidden_files_and_folders_are_left_out(self):
    self._write('b/2.png', 'a.JPG', 'notes.txt', '._a.jpg', '.thumbnails/a.jpg')
    self.folder.mkdir('c.png')
    found = [os.path.relpath(path, self.folder) for path in self._found()]
    self.assertEqual(found, ['a.JPG', 'b/2.png'])

  def test_refuses_a_folder_without_images(self):
    self._write('notes.txt', '.a.jpg')
    with self.assertRaisesRegex(embedding_set.EmbeddingError, '^--data_dir: no image found in '):
      self._found()

  def _found(self):
    return image_folder.find_images(self.folder.full_path)


if __name__ == '__main__':
  absltest.main()
