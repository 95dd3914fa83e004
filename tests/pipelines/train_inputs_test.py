"""Test of a table with weights and an own model of two inputs, from flags to an exported model."""

import json
import pathlib
import subprocess
import sys

import numpy as np
import pandas as pd
from absl.testing import absltest

from tests import processes
from tff_lg import data

_MODULE = """
import tensorflow as tf
layers = tf.keras.layers

def build(input_shape, num_outputs, seed):
  assert input_shape == {'vitals': (2,), 'place': (2,)}, input_shape
  inputs = {name: tf.keras.Input(shape, name=name) for name, shape in input_shape.items()}
  vitals = layers.Dense(8, activation='relu', name='body')(inputs['vitals'])
  both = layers.Concatenate()([vitals, inputs['place']])
  both = layers.Dense(8, activation='relu', name='joint')(both)
  return tf.keras.Model(inputs, layers.Dense(num_outputs, name='head')(both))
"""
# Run by itself, where neither the project nor the function can be imported.
_ALONE = """
import json, sys
import numpy as np, tensorflow as tf, tf_keras
columns, inputs = json.load(open(sys.argv[2]))
columns = {name: tf.constant(v, tf.string if name == 'region' else tf.float64)
           for name, v in columns.items()}
model = tf.saved_model.load(sys.argv[1] + '/saved_model')
served = model.predict(columns)
inputs = {name: np.array(values, np.float32) for name, values in inputs.items()}
logits = tf_keras.models.load_model(sys.argv[1] + '/model.keras')(inputs)
assert not {'tff_lg', 'my_networks'} & set(sys.modules)
print(json.dumps([[v.decode() for v in served['class'].numpy()], np.argmax(logits, 1).tolist()]))
"""


def _table():
  """Makes clean test rows, and training rows half of which are wrong and have weight 0."""
  rng = np.random.default_rng(0)
  age, bmi, region = (
    rng.normal(50, 9, 240),
    rng.normal(25, 3, 240),
    rng.choice(['hill', 'sea'], 240),
  )
  is_test = np.arange(240) % 4 == 0
  is_wrong = ~is_test & (np.arange(240) % 4 > 1)
  is_ill = (age > 50) ^ is_wrong
  return pd.DataFrame(
    {
      'hospital': np.repeat(['North', 'South', 'West'], 80),
      'age': age,
      'bmi': bmi,
      'region': region,
      'ill': np.where(is_ill, 'yes', 'no'),
      'trust': np.where(is_wrong, 0.0, 2.0),
      'is_test': is_test,
    }
  )


class TrainInputsTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)
    (self.folder / 'my_networks.py').write_text(_MODULE)
    self.table = _table()
    self.table.to_csv(self.folder / 'patients.csv', index=False)

  def _run(self, pipeline, *arguments):
    return processes.run_python('-m', f'pipelines.{pipeline}', *arguments, folder=self.folder)

  def _train(self, *arguments):
    return self._run(
      'train',
      *'--task=table --data_dir=patients.csv --client_column=hospital --label_column=ill '
      '--test_column=is_test --model=my_networks:build --method=fedavg --rounds=12 '
      '--client_epochs=4 --client_learning_rate=0.1 --clients_per_round=3 '
      '--evaluate_every=6'.split(),
      '--run_dir=run',
      *arguments,
    )

  def test_from_flags_to_report_and_export(self):
    inputs = '--input_columns=vitals:age,vitals:bmi,place:region'
    result = self._train(
      inputs,
      '--weight_column=trust',
      *'--own_models=network --local_only_epochs=3 --local_only_learning_rate=0.1'.split(),
    )
    self.assertEqual(result.returncode, 0, result.stderr)
    clients = pd.read_parquet(self.folder / 'run/clients.parquet').set_index('client_id')
    self.assertEqual(clients['num_test'].tolist(), [20, 20, 20])
    # Without weights, right labels would be as frequent as wrong ones.
    self.assertGreater(clients['local_test/accuracy'].mean(), 0.85)
    of_south = clients['local_test/accuracy']['South']
    page = (self.folder / 'run/report.html').read_text()
    self.assertIn('--weight_column=trust', page)
    self.assertIn('polyline points', page)  # The curves of a client.

    result = self._run('export', '--run_dir=run', '--client=South', '--output=south')
    self.assertEqual(result.returncode, 0, result.stderr)
    about = json.loads((self.folder / 'south/about.json').read_text())
    self.assertEqual(about['inputs'], {'vitals': [2], 'place': [2]})
    self.assertEqual(about['columns'], ['age', 'bmi', 'region'])
    rows = self.table[self.table['is_test'] & (self.table['hospital'] == 'South')]
    values = json.loads((self.folder / 'run/table_encoding.json').read_text())
    features = data.TableEncoding.from_json(values).encode(rows)
    given = [
      {name: rows[name].tolist() for name in about['columns']},
      {'vitals': features[:, :2].tolist(), 'place': features[:, 2:].tolist()},
    ]
    (self.folder / 'rows.json').write_text(json.dumps(given))
    result = subprocess.run(
      [sys.executable, '-P', '-c', _ALONE, self.folder / 'south', self.folder / 'rows.json'],
      cwd=self.create_tempdir('alone').full_path,
      capture_output=True,
      text=True,
      check=False,
    )
    self.assertEqual(result.returncode, 0, result.stderr)
    served, kept = json.loads(result.stdout.splitlines()[-1])
    self.assertEqual(np.mean(rows['ill'] == served), of_south)
    self.assertEqual([('no', 'yes')[index] for index in kept], served)

  def test_columns_without_an_input_are_one_sentence(self):
    result = self._train('--input_columns=vitals:age', '--weight_column=trust')
    self.assertEqual(result.returncode, 1)
    self.assertIn('bmi', result.stderr)
    self.assertNotIn('Traceback', result.stderr)


if __name__ == '__main__':
  absltest.main()
