"""Tests of finding the page of a run folder."""

import os

from absl.testing import absltest, parameterized

from tff_lg import analysis


class RunPagesTest(parameterized.TestCase):
  def _folder(self, settings):
    folder = self.create_tempdir()
    folder.create_file('hparams.json', content=settings)
    return folder.full_path

  @parameterized.parameters(
    ('{"adaptation": ["ewc"], "source": {"method": "fedavg"}}', 'adapt'),
    ('{"transform": "rotate90"}', 'new_device'),
  )
  def test_page_is_that_of_the_pipeline(self, settings, pipeline):
    page = analysis.find_page(self._folder(settings))
    self.assertEqual(page.pipeline, pipeline)

  def test_training_has_no_other_page(self):
    self.assertIsNone(analysis.find_page(self._folder('{"method": "fedavg"}')))
    self.assertIsNone(analysis.find_page(self.create_tempdir().full_path))

  def test_damaged_settings(self):
    folder = self._folder('[]')
    path = os.path.join(folder, 'hparams.json')
    with self.assertRaisesRegex(analysis.RunFolderError, f'^{path}: found a JSON list'):
      analysis.find_page(folder)


if __name__ == '__main__':
  absltest.main()
