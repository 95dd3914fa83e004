"""Tests of the page and the text of an adaptation run, whole and with parts missing."""

import os
from unittest import mock

import numpy as np
import pandas as pd
from absl.testing import absltest

from tff_lg import analysis
from tff_lg.analysis import style


class AdaptationReportTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.path = self.create_tempdir().full_path
    # Figures' files take most of the time; style_test draws them.
    for name in ('png_bytes', 'pdf_bytes'):
      self.enter_context(mock.patch.object(style, name, return_value=b''))
    analysis.write_synthetic_adaptation_folder(self.path, num_clients=20)

  def _page(self):
    with open(analysis.write_adaptation_report(self.path), encoding='utf-8') as file:
      return file.read()

  def _change_clients(self, change):
    path = os.path.join(self.path, 'clients.parquet')
    change(pd.read_parquet(path)).to_parquet(path)

  def _figures(self):
    names = sorted(os.listdir(os.path.join(self.path, 'figures')))
    return [name for name in names if name.endswith('.png')]

  def test_page(self):
    page = self._page()
    self.assertIn('<h1>Local adaptation of FedAvg, median on cifar10</h1>', page)
    self.assertIn('every number on this page is invented', page)
    for key in ('result', 'models', 'clients', 'data', 'validation', 'held_out'):
      self.assertIn(f'<section id="{key}">', page)
    self.assertEqual(page.count('<svg role="img"'), 7)
    for outside in ('http:', 'https:', '@import'):
      self.assertNotIn(outside, page)
    self.assertEqual(
      self._figures(),
      [
        'accuracy_by_data.png',
        'adaptation_gain.png',
        'cumulative_gain.png',
        'gain_by_data_over_federated.png',
        'gain_by_data_over_local_only.png',
        'improvement.png',
        'validation_curves.png',
      ],
    )

  def test_same_run_same_page(self):
    self.assertEqual(self._page(), self._page())

  def test_output(self):
    output = os.path.join(self.path, 'elsewhere', 'page.html')
    self.assertEqual(analysis.write_adaptation_report(self.path, output=output), output)

  def test_no_own_models(self):
    self._change_clients(
      lambda table: table[[name for name in table if not name.startswith('local_only/')]]
    )
    page = self._page()
    self.assertIn('Gains over locally trained models are left out', page)
    self.assertNotIn('>Local only<', page)
    self.assertNotIn('worse off', page)
    self.assertEqual(
      self._figures(),
      [
        'accuracy_by_data.png',
        'adaptation_gain.png',
        'cumulative_gain.png',
        'gain_by_data_over_federated.png',
        'validation_curves.png',
      ],
    )

  def test_one_client(self):
    self._change_clients(lambda table: table.iloc[:1])
    self.assertEqual(self._page().count('<svg role="img"'), 7)

  def test_nothing_known(self):
    self._change_clients(
      lambda table: table.assign(**{n: np.nan for n in table if n.endswith('/accuracy')})
    )
    page = self._page()
    self.assertIn('There is no client whose local test accuracy is known with every model', page)
    self.assertNotIn('<svg', page)

  def test_text(self):
    text = analysis.adaptation_text(self.path)
    trained, held_out = text.split('Held-out clients, which training never saw:')
    self.assertIn('Clients that took part in training:', trained)
    self.assertIn('\nLocal only ', trained)
    self.assertNotIn('\nLocal only ', held_out)
    for part in (trained, held_out):
      for name in ('Federated', 'Fine-tuned', 'Base frozen', 'EWC', 'Distillation', 'Best by'):
        self.assertIn(f'\n{name} ', part)

  def test_text_of_one_group(self):
    self._change_clients(lambda table: table.drop(columns='is_held_out'))
    self.assertNotIn('took part', analysis.adaptation_text(self.path))

  def test_unfinished_run(self):
    os.remove(os.path.join(self.path, 'summary.json'))
    with self.assertRaisesRegex(analysis.RunFolderError, 'summary.json: the file is missing'):
      analysis.write_adaptation_report(self.path)


if __name__ == '__main__':
  absltest.main()
