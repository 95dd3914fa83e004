"""Tests of the models that are exported, loaded without this project."""

import json
import pathlib
import subprocess
import sys

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tests.simulation import running
from tff_lg import config as config_lib
from tff_lg import data, simulation
from tff_lg.personalization import adaptation_work
from tff_lg.simulation import export, trained_run

_RUN = {'rounds': 2, 'warm_start_rounds': 1, 'clients_per_round': 2, 'baselines': ()}

# Run by itself, where the project cannot be imported.
_ALONE = """
import json, sys
import tensorflow as tf
assert 'tff_lg' not in sys.modules
model = tf.saved_model.load(sys.argv[1])
columns = {name: tf.constant(values, tf.string if isinstance(values[0], str) else tf.float64)
           for name, values in json.load(open(sys.argv[2])).items()}
result = model.predict(columns)
print(json.dumps([name.decode() for name in result['class'].numpy().tolist()]))
"""


def setUpModule():
  running.set_up_module()


class ExportTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.root = pathlib.Path(cls.create_tempdir(cls()).full_path)
    frame = data.generate_patients().groupby('hospital').head(60)
    frame = frame[frame['hospital'].isin(['Aspen', 'Birch', 'Cedar'])].reset_index(drop=True)
    frame['ward'] = np.where(frame['days'] > 6, 'long stay', 'short')
    frame.loc[::7, 'age'] = np.nan
    frame = frame.rename(columns={'heart_rate': 'heart rate (1/min)'})
    frame.to_csv(cls.root / 'patients.csv', index=False)
    table = config_lib.TrainConfig(
      task='table',
      data_dir=str(cls.root / 'patients.csv'),
      client_column='hospital',
      label_column=('readmitted',),
      standardize='clients',
      **_RUN,
    )
    digits = config_lib.TrainConfig(task='digits', num_clients=3, partition='iid', **_RUN)
    cls.runs = {}
    for name, config in {'table': table, 'digits': digits}.items():
      cls.config = config_lib.resolve(config)
      simulation.run_experiment(cls.config, str(cls.root / name))
      cls.runs[name] = trained_run.load_trained_run(str(cls.root / name))
    cls.frame = frame

  def test_classes_are_right_as_often_as_in_the_run(self):
    for name, run in self.runs.items():
      values = adaptation_work.ModelEvaluator(run)(np.arange(3), run.weights)
      for number, client in enumerate(run.federated_data.clients):
        network = export.client_model(run, client.client_id).network
        predicted = np.argmax(network(client.test.x), axis=1)
        accuracy = np.mean(predicted == client.test.y)
        self.assertAlmostEqual(accuracy, values['local_test/accuracy'][number], msg=name)

  def test_table_from_columns_without_the_project(self):
    folder = self.root / 'aspen'
    run = self.runs['table']
    export.export_client(export.client_model(run, 'Aspen'), str(folder))
    rows = self.frame[self.frame['hospital'] == 'Aspen']
    features = rows.drop(columns=['hospital', 'readmitted'])
    (self.root / 'rows.json').write_text(json.dumps(features.to_dict('list')))
    result = subprocess.run(
      [sys.executable, '-c', _ALONE, str(folder / 'saved_model'), str(self.root / 'rows.json')],
      capture_output=True,
      text=True,
      cwd=self.root,
    )
    self.assertEqual(result.returncode, 0, result.stderr)
    x = run.federated_data.encoding.encode(features, ['Aspen'] * len(rows))
    expected = np.argmax(export.client_model(run, 'Aspen').network(x), axis=1)
    names = [run.federated_data.class_names[label] for label in expected]
    self.assertEqual(json.loads(result.stdout.splitlines()[-1]), names)
    about = json.loads((folder / 'about.json').read_text())
    self.assertEqual((about['client_id'], about['class_names']), ('Aspen', ['no', 'yes']))
    self.assertIn('local_test/accuracy', about['client'])
    signature = tf.saved_model.load(folder / 'saved_model').signatures['serving_default']
    self.assertIn('heart_rate__1_min_', signature.structured_input_signature[1])

  def test_network_alone(self):
    folder = self.root / 'digits_0'
    run = self.runs['digits']
    client = run.federated_data.clients[0]
    export.export_client(export.client_model(run, client.client_id), str(folder))
    network = tf.keras.models.load_model(folder / 'model.keras')
    expected = export.client_model(run, client.client_id).network(client.test.x)
    np.testing.assert_array_equal(network(client.test.x), expected)
    loaded = tf.saved_model.load(folder / 'saved_model')
    probabilities = loaded.predict(client.test.x)
    np.testing.assert_allclose(
      probabilities['probabilities'], tf.nn.softmax(expected), rtol=1e-5, atol=1e-7
    )

  def test_refuses(self):
    run = self.runs['digits']
    with self.assertRaisesRegex(ValueError, '--client is nobody, expected one of the 3 clients: '):
      export.export_client(export.client_model(run, 'nobody'), str(self.root / 'new'))
    with self.assertRaisesRegex(ValueError, 'the folder is not empty'):
      export.export_client(
        export.client_model(run, run.federated_data.clients[0].client_id), str(self.root)
      )
    self.assertFalse((self.root / 'new').exists())


if __name__ == '__main__':
  absltest.main()
