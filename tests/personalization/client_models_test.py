"""Tests that the exported model of a client, own or adapted, is the one that its run has scored."""

import dataclasses
import pathlib

import numpy as np
import pandas as pd
import tensorflow as tf
from absl.testing import absltest

from tests.personalization import sharing
from tff_lg import config as config_lib
from tff_lg import data, personalization, simulation, verdicts
from tff_lg.personalization import client_models
from tff_lg.run_folder import run_files

_NO_NETWORK = {'baselines': (), 'local_only_epochs': None, 'local_only_learning_rate': None}
_HOSPITALS = ('Aspen', 'Birch', 'Cedar', 'Elm')


def setUpModule():
  sharing.set_up_module()


class ClientModelsTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.root = pathlib.Path(cls.create_tempdir(cls()).full_path)
    frame = data.generate_patients()
    frame = frame[frame['hospital'].isin(_HOSPITALS)].groupby('hospital').head(80)
    frame.to_csv(cls.root / 'patients.csv', index=False)
    cls.config = config_lib.TrainConfig(
      task='table',
      data_dir=str(cls.root / 'patients.csv'),
      client_column='hospital',
      label_column=('readmitted',),
      method='fedavg',
      rounds=2,
      clients_per_round=2,
      local_only_epochs=8,
      local_only_learning_rate=(0.1,),
    )
    simulation.run_experiment(config_lib.resolve(cls.config), str(cls.root / 'parts/fedavg'))
    cls.own = cls.root / 'parts/fedavg/baselines/local_only'
    cls.of_own = personalization.load_result(str(cls.own)).clients
    cls.adapted = cls.root / 'parts/fedavg_adapted'
    personalization.run_adaptation(
      config_lib.AdaptConfig(
        from_run=str(cls.root / 'parts/fedavg'),
        adaptation=('fine_tune', 'knn_per'),
        epochs=3,
        learning_rate=(0.3, 0.1),
        knn_neighbours=(5,),
        knn_weight=(1.0,),
      ),
      str(cls.adapted),
    )
    cls.frame = frame

  def _rows(self, client):
    return self.frame[self.frame['hospital'] == client].drop(columns=['hospital', 'readmitted'])

  def _check(self, model, marks):
    right = np.argmax(model.predict(model.client.test.x), axis=1) == model.client.test.y
    self.assertEqual(verdicts.to_marks(right), marks)

  def _train_alone(self, name, config):
    folder = str(self.root / name)
    simulation.run_experiment(config_lib.resolve(config), folder)
    return client_models.open_run(folder), personalization.load_result(folder).clients

  def test_own_models_get_the_same_test_examples_right(self):
    load, clients = client_models.open_run(str(self.own)), self.of_own
    for name, fields in (
      ('network', {}),
      ('linear', {'own_models': ('linear',)}),
      ('cohort', {'local_budget': 'cohort'}),
    ):
      if fields:
        config = dataclasses.replace(self.config, method='local_only', **fields, **_NO_NETWORK)
        load, clients = self._train_alone(name, config)
      for _, row in clients.iterrows():
        model = load(row['client_id'])
        self.assertEqual(model.name, 'local_only' if name == 'cohort' else f'local_only ({name})')
        self._check(model, row['local_test/correct'])

  def test_own_numbers(self):
    config = config_lib.TrainConfig(
      task='diabetes', method='local_only', baselines=(), own_models=('linear',)
    )
    load, clients = self._train_alone('diabetes', config)
    for _, row in clients.iterrows():
      model = load(row['client_id'])
      errors = np.abs(model.predict(model.client.test.x) - model.client.test.y)
      expected = [float(text) for text in row['local_test/by_example'].split()]
      np.testing.assert_allclose(errors, expected, rtol=1e-4, atol=1e-5)

  def test_adapted_models_get_the_same_test_examples_right(self):
    clients = personalization.load_result(str(self.adapted)).clients.set_index('client_id')
    load = client_models.open_run(str(self.adapted))
    chosen = clients['best/name']
    self.assertIn('fine_tune', set(chosen))
    for name, row in clients.iterrows():
      if chosen[name] != 'knn_per':
        self._check(load(name), row['best/local_test/correct'])
      else:
        with self.assertRaisesRegex(ValueError, 'is by knn_per, which needs its training examples'):
          load(name)

  def test_advice_exports_own_and_adapted_models(self):
    advice = self.root
    clients = pd.DataFrame(
      {'client_id': ['Aspen', 'Birch', 'Cedar'], 'advice': ['fedavg', 'fedavg_adapted', 'own']}
    )
    (advice / 'advice.csv').write_text(clients.to_csv(index=False))
    run_files.write_tables(str(advice), {}, clients)
    (advice / 'parts/own').symlink_to(self.own)
    # As if it had moved: the sources of parts lie beside them.
    result = personalization.load_result(str(advice))
    self.assertEqual(list(result.clients['client_id']), ['Aspen', 'Birch', 'Cedar'])
    for name in result.clients['client_id']:
      output = advice / f'exported_{name}'
      result.export(name, str(output))
      x = client_models.open_run(str(advice / 'parts/fedavg'))(name).client.test.x
      network = result.model_for(name)
      saved = tf.keras.models.load_model(output / 'model.keras')
      np.testing.assert_allclose(saved(x), network(x), rtol=1e-6)
      rows = self._rows(name)
      columns = {n: tf.constant(v, tf.float64) for n, v in rows.to_dict('list').items()}
      loaded = tf.saved_model.load(output / 'saved_model')
      self.assertEqual(loaded.predict(columns)['probabilities'].shape, (len(rows), 2))
    with self.assertRaisesRegex(ValueError, '--client is Elm, expected a client of'):
      result.model_for('Elm')

  def test_refuses(self):
    with self.assertRaisesRegex(ValueError, 'holds no finished run: it has no summary.json'):
      personalization.load_result(str(self.root / 'nothing'))
    load = client_models.open_run(str(self.own))
    with self.assertRaisesRegex(ValueError, '--client is nobody, expected one of the 4 clients'):
      load('nobody')
    model = load('Aspen')
    model.row['local_test/accuracy'] += 0.1
    with self.assertRaisesRegex(ValueError, 'The model of Aspen, trained again, has accuracy'):
      client_models._checked(model, str(self.own))


if __name__ == '__main__':
  absltest.main()
