"""Tests of the text of an advice."""

import json
import pathlib

import pandas as pd
from absl.testing import absltest

from tff_lg.analysis import advise_report


class AdviseTextTest(absltest.TestCase):
  def _text(self, better, worse, unknown, **more):
    summary = {
      'metric': 'accuracy',
      'best_for_all': 'lg_fedavg_0.5',
      'gain/mean_over_clients': 0.05,
      'gain/low': 0.01,
      'gain/high': 0.09,
      'gain_of_taking_part/mean_over_clients': 0.04,
      'gain_of_choosing/mean_over_clients': 0.01,
      'verdict/better': better,
      'verdict/worse': worse,
      'verdict/cannot tell': unknown,
      **more,
    }
    for part, clients, score in (('local_only', 1, 0.75), ('lg_fedavg_0.5', 3, 0.8)):
      summary |= {
        f'models/{part}/advised_clients': clients,
        f'models/{part}/bytes_per_client': 1000.0,
        f'models/{part}/is_reference': False,
        f'models/{part}/local_test/accuracy/mean_over_clients': score,
      }
    folder = pathlib.Path(self.create_tempdir().full_path)
    folder.joinpath('summary.json').write_text(json.dumps(summary))
    pd.DataFrame({'client': ['a']}).to_parquet(folder / 'clients.parquet')
    return advise_report.advise_text(str(folder))

  def test_gains(self):
    text = self._text(2, 0, 1)
    self.assertIn(
      'So advised, clients gain +5.00 points over their own models (95 % interval +1.00 to '
      '+9.00).\nIn that total, taking part with LG-FedAvg, 0.5 local for all gives +4.00 points,\n'
      'and choosing for each client gives +1.00 points.\n',
      text,
    )
    self.assertEndsWith(
      text, '2 are better off by their test data, 0 worse, and for 1 these cannot tell.'
    )

  def test_verdicts_on_taking_part_stand_first(self):
    text = self._text(
      2, 0, 1, **{f'taking_part/verdict/{v}': n for v, n in (('better', 3), ('cannot tell', 1))}
    )
    self.assertIn(
      'With LG-FedAvg, 0.5 local for all, 3 of 4 clients are better off than with their own models '
      'by their test data, 0 are worse off, and for 1 these cannot tell.\nSo advised',
      text,
    )

  def test_models_most_advised_first(self):
    lines = self._text(2, 0, 1).splitlines()
    rows = [line.split('  ')[0] for line in lines if '80.00' in line or '75.00' in line]
    self.assertEqual(rows, ['LG-FedAvg, 0.5 local', 'Local only'])

  def test_nobody_advised_to_use_a_federated_model_as_it_is(self):
    self.assertNotIn('Among those advised', self._text(0, 0, 0))


if __name__ == '__main__':
  absltest.main()
