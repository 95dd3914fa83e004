"""Tests of finding the scores of clients' own local models."""

import numpy as np
import pandas as pd
from absl.testing import absltest

from tff_lg.simulation import own_models, run_files

_SIZES = {'num_train': [5, 6], 'num_validation': [1, 1], 'num_test': [2, 2]}


class OwnModelsTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.root = self.create_tempdir().full_path
    self.clients = pd.DataFrame({'client_id': ['a', 'b'], **_SIZES})
    own = self.clients.assign(**{'local_test/accuracy': [0.25, 0.5]})
    run_files.write_tables(f'{self.root}/run/baselines/local_only', {}, own)
    renamed = self.clients.assign(
      **{
        'local_only/local_test/accuracy': [0.25, 0.5],
        'local_only/validation/accuracy': [0.0, 1.0],
        'federated/local_test/accuracy': [0.0, 0.0],
      }
    )
    run_files.write_tables(f'{self.root}/adapted', {}, renamed)

  def test_of_a_baseline_and_of_an_adaptation_run(self):
    for run in ('run', 'adapted'):
      found = own_models.load_own_models(f'{self.root}/{run}', self.clients[::-1])
      self.assertEqual(list(found['client_id']), ['b', 'a'])
      self.assertEqual(list(found['local_test/accuracy']), [0.5, 0.25])
      self.assertNotIn('federated/local_test/accuracy', found)

  def test_clients_that_the_run_does_not_have(self):
    clients = pd.concat([self.clients, self.clients.tail(1).assign(client_id='c')])
    found = own_models.load_own_models(f'{self.root}/run', clients)
    np.testing.assert_array_equal(found['local_test/accuracy'], [0.25, 0.5, np.nan])

  def test_a_run_without_such_models(self):
    run_files.write_tables(f'{self.root}/alone', {}, self.clients)
    for run in ('alone', 'nowhere'):
      self.assertIsNone(own_models.find_own_models(f'{self.root}/{run}', self.clients))
      with self.assertRaisesRegex(ValueError, f'{run} has no own local models, expected'):
        own_models.load_own_models(f'{self.root}/{run}', self.clients)

  def test_other_clients_are_refused(self):
    for others in (self.clients.assign(client_id=['x', 'y']), self.clients.assign(num_test=3)):
      with self.assertRaisesRegex(ValueError, 'models of other clients'):
        own_models.load_own_models(f'{self.root}/run', others)


if __name__ == '__main__':
  absltest.main()
