"""Tests of computing chunk by chunk, with files of what is done."""

import os

import numpy as np
import tqdm
from absl.testing import absltest

from tff_lg import parts, progress


class PartsTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path
    self.calls = []

  def _parts(self):
    return parts.Parts(self.folder, 'work', 2, tqdm.tqdm(disable=True))

  def _squares(self, clients):
    self.calls.append(clients.tolist())
    arrays = {'square': clients**2}
    return arrays if 3 in clients else {**arrays, 'name': clients / 2}

  def test_chunks_one_after_the_other(self):
    found = self._parts().compute_chunks(np.array([1, 2, 3]), self._squares, 'tried')
    self.assertEqual(self.calls, [[1, 2], [3]])
    self.assertEqual(found['square'].tolist(), [1, 4, 9])
    np.testing.assert_array_equal(found['name'], [0.5, 1, np.nan])
    self.assertEqual(
      sorted(os.listdir(self.folder)), ['work_tried_000000.npz', 'work_tried_000002.npz']
    )

  def test_texts_that_a_chunk_lacks_are_empty(self):
    def texts(clients):
      return {'square': clients**2} | ({} if 3 in clients else {'text': np.array(['ab', 'c'])})

    found = self._parts().compute_chunks(np.array([1, 2, 3]), texts, 'texts')
    self.assertEqual(found['text'].tolist(), ['ab', 'c', ''])

  def test_what_is_done_is_read(self):
    for _ in range(2):
      again = self._parts().compute_chunks(np.array([1, 2]), self._squares, 'tried')
    self.assertEqual(self.calls, [[1, 2]])
    self.assertEqual(again['square'].tolist(), [1, 4])
    self.assertEqual(self._parts().compute(dict, 'tried_000000').keys(), again.keys())

  def test_second_pass_over_clients_adds_to_the_total_of_the_bar(self):
    with progress.Bar(3, 'client') as bar:
      done = parts.Parts(self.folder, 'work', 2, bar)
      done.compute_chunks(np.array([1, 2, 3]), self._squares, 'tried')
      done.compute_chunks(np.array([1, 3]), self._squares, 'chosen', is_again=True)
      self.assertStartsWith(bar.line(), '5 of 5 clients')

  def test_damaged_file_is_named(self):
    path = f'{self.folder}/work_mean.npz'
    with open(path, 'wb') as file:
      file.write(b'PK')
    with self.assertRaisesRegex(ValueError, f'{path} is damaged .*: delete it'):
      self._parts().compute(dict, 'mean')


if __name__ == '__main__':
  absltest.main()
