"""Tests of writing the models of all clients: which folders there are, and their list."""

import os
import pathlib

import pandas as pd
from absl.testing import absltest

from tff_lg import personalization
from tff_lg.personalization import result as result_lib
from tff_lg.run_folder import run_files


class _Result(result_lib.Result):
  """Writes texts in place of models; clients whose name begins with `no` have none."""

  def __init__(self, run_dir):
    super().__init__(run_dir)
    self.written = []

  def _write(self, client_id, output_dir):
    if client_id.startswith('no'):
      raise ValueError(f'{client_id} has no Keras form.')
    self.written.append(client_id)
    os.makedirs(output_dir)
    pathlib.Path(output_dir, 'about.json').write_text(client_id)


class ExportAllTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)
    self.output = self.folder / 'models'

  def _result(self, *client_ids):
    run_files.write_tables(str(self.folder), {}, pd.DataFrame({'client_id': client_ids}))
    return _Result(str(self.folder))

  def test_folders_and_their_list(self):
    result = self._result('a/b', 'no_tree', '=c')
    table = result.export_all(str(self.output))
    self.assertEqual(result.written, ['a/b', '=c'])
    self.assertEqual(table['fault'].tolist(), ['', 'no_tree has no Keras form.', ''])
    self.assertEqual(
      (self.output / 'models.csv').read_text(),
      "folder,client_id,fault\n0,a/b,\n1,no_tree,no_tree has no Keras form.\n2,'=c,\n",
    )

  def test_folder_with_something_in_it(self):
    self._result('a').export_all(str(self.output))
    with self.assertRaisesRegex(ValueError, 'models: the folder is not empty, expected a new'):
      self._result('a').export_all(str(self.output))

  def test_no_client_with_a_model(self):
    with self.assertRaisesRegex(ValueError, 'no_a has no Keras form'):
      self._result('no_a', 'no_b').export_all(str(self.output))
    self.assertFalse(self.output.exists())

  def test_result_of_a_run(self):
    self._result('a')
    self.assertEqual(personalization.load_result(str(self.folder)).clients['client_id'][0], 'a')


if __name__ == '__main__':
  absltest.main()
