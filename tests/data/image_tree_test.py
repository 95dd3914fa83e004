"""Tests of finding images in folders by client and class."""

import pathlib

from absl.testing import absltest, parameterized

from tff_lg.data import examples, image_tree


class ListImagesTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)

  def _found(self, *names):
    for name in names:
      path = self.folder / name
      path.parent.mkdir(parents=True, exist_ok=True)
      path.touch()
    return [tuple(each)[1:] for each in image_tree.list_images(str(self.folder))]

  def _has_clients(self):
    return image_tree.has_clients(str(self.folder))

  def test_clients_and_classes(self):
    names = 'bo/cat/1.png', 'al/dog/2.JPEG', 'al/cat/note.txt', 'al/dog/.2.png', '.git/a/b.png'
    found = self._found(*names)
    self.assertEqual(found, [('dog', 'al', None), ('cat', 'bo', None)])
    self.assertTrue(self._has_clients())

  def test_classes(self):
    self.assertEqual(self._found('cat/1.gif', 'b/2.bmp'), [('b', None, None), ('cat', None, None)])
    self.assertFalse(self._has_clients())

  def test_training_and_test_images(self):
    found = self._found('test/cat/1.png', 'train/cat/1.png')
    self.assertEqual(found, [('cat', None, True), ('cat', None, False)])
    self.assertFalse(self._has_clients())

  def test_training_and_test_images_of_clients(self):
    found = self._found('test/al/cat/1.png', 'train/al/cat/1.png')
    self.assertEqual(found, [('cat', 'al', True), ('cat', 'al', False)])
    self.assertTrue(self._has_clients())

  def test_a_class_of_the_name_test(self):
    self.assertEqual(self._found('test/1.png', 'prod/1.png')[1], ('test', None, None))

  @parameterized.parameters(
    (('a.png',), r'a\.png: found in no folder, expected CLIENT/CLASS or CLASS, the same for all'),
    (('a/b/c/1.png',), r'1\.png: found in a/b/c, expected'),
    (('a/1.png', 'a/b/1.png'), r'b/1\.png: found in a/b, expected'),
    (('train/a/1.png', 'val/a/1.png'), 'val found beside train, expected train and test alone'),
    (('a/1.tiff',), r'no image found in .*, expected files that end in \.jpg, '),
  )
  def test_refuses(self, names, sentence):
    with self.assertRaisesRegex(examples.DataError, sentence):
      self._found(*names)

  def test_no_image_for_training(self):
    (self.folder / 'train').mkdir()
    with self.assertRaisesRegex(examples.DataError, 'no image found in .*/train, expected files'):
      self._found('test/a/1.png')

  def test_no_image_is_of_no_client(self):
    self.assertFalse(self._has_clients())


if __name__ == '__main__':
  absltest.main()
