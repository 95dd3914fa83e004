"""Writes the model of one client of a finished run, for use without this project.

  python -m pipelines.train --task=table --rounds=40 --run_dir=runs/patients
  python -m pipelines.export --run_dir=runs/patients --client=Aspen --output=aspen

The folder `aspen` then has `saved_model`, which takes the columns of a table (or the features of
other data) and gives probabilities and classes; `model.keras`, the network alone; and `about.json`,
with the client's sizes, test scores and verdicts. With the folder of `pipelines.advise` as
--run_dir it is the model that the advice chose for the client. In Python:

  model = tf.saved_model.load('aspen/saved_model')
  model.predict({'age': [61.0, 48.0], ...})['class']
"""

import csv
import os

from absl import flags

from pipelines import launch, outside, path_flags
from tff_lg import csv_text, progress
from tff_lg.run_folder import source_run

outside.define()
_RUN_DIR = path_flags.define(
  'run_dir', None, 'Folder of a finished run of pipelines.train, or of pipelines.advise.'
)
_CLIENT = flags.DEFINE_string('client', None, "The client's id, as in clients.csv.")
_OUTPUT = path_flags.define('output', None, 'The folder that is written; a new one.')
_DATA_DIR = path_flags.define(
  'data_dir', None, "Where the run's data are now; where they were by default."
)


def _advised_run(run_dir: str, client: str) -> str:
  """Returns the run whose model an advice chose for a client; a folder without advice as it is.

  Raises:
    ValueError: the advice has no such client, or its model is none of a federated run.
  """
  path = os.path.join(run_dir, 'advice.csv')
  if not os.path.exists(path):
    return run_dir
  with open(path, encoding='utf-8', newline='') as file:
    advised = {csv_text.unescape(row['client_id']): row['advice'] for row in csv.DictReader(file)}
  if client not in advised:
    raise ValueError(f'--client is {client}, expected a client of {path}.')
  part = os.path.join(run_dir, 'parts', advised[client])
  if advised[client] in ('local_only', 'fedavg_adapted'):
    raise ValueError(
      f'{client} is advised to use {advised[client]}, but only models of federated runs can be '
      f'exported: expected one of the other folders in {os.path.dirname(part)} as --run_dir.'
    )
  return part


def main() -> None:
  """Checks the flags, then loads the run and writes the model."""
  run_dir, client, output = map(launch.given, (_RUN_DIR, _CLIENT, _OUTPUT))
  run_dir = _advised_run(run_dir, client)
  source_run.load_config(run_dir)

  # TensorFlow takes seconds to import: only once the flags are known to be good.
  with progress.stage('importing TensorFlow'):
    from tff_lg import simulation
    from tff_lg.simulation import export, trained_run

  simulation.set_execution_context()
  run = trained_run.load_trained_run(run_dir, _DATA_DIR.value)
  with progress.stage('writing the model'):
    export.export_client(run, client, output)
  print(f'Model of {client}: {os.path.abspath(output)}')


if __name__ == '__main__':
  launch.run(main)
