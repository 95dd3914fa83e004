"""Writes the model of a client of a finished run, or of each, for use without this project.

  python -m pipelines.train --task=table --rounds=40 --run_dir=runs/patients
  python -m pipelines.export --run_dir=runs/patients --client=Aspen --output=aspen

The folder `aspen` then has `saved_model`, which takes the columns of a table (or the features of
other data) and gives probabilities and classes. It also has `model.keras`, the network alone. That
of a function which returns models of Keras 3 is for Keras 3, others are for tf_keras. `about.json`
has the client's sizes, test scores and verdicts.

--all_clients in place of --client writes the models of all clients into numbered folders, which
`models.csv` lists.

--run_dir may also be a folder of `pipelines.adapt`, or of own models in
RUN_DIR/baselines/local_only. For a folder of `pipelines.advise`, the model is the one that the
advice chose for the client. Own and adapted models are trained again, to the same bits. In Python:

  model = tf.saved_model.load('aspen/saved_model')
  model.predict({'age': [61.0, 48.0], ...})['class']
"""

import os

from absl import flags

from pipelines import launch, outside, path_flags
from tff_lg import progress
from tff_lg.config import option
from tff_lg.run_folder import source_run

outside.define()
_RUN_DIR = path_flags.define(
  'run_dir',
  None,
  'Folder of a finished run of pipelines.train, pipelines.adapt or pipelines.advise.',
)
_CLIENT = flags.DEFINE_string('client', None, "The client's id, as in clients.csv.")
_ALL_CLIENTS = flags.DEFINE_bool('all_clients', False, 'Write the models of all clients.')
_OUTPUT = path_flags.define('output', None, 'Folder to write; it must be new or empty.')
_DATA_DIR = path_flags.define(
  'data_dir', None, "Where the run's data are now; where they were, by default."
)


def main() -> None:
  """Checks the flags, then loads the run and writes the model."""
  run_dir = launch.given(_RUN_DIR)
  client = '' if _ALL_CLIENTS.value else launch.given(_CLIENT, "a client's id, or --all_clients")
  if _ALL_CLIENTS.value and _CLIENT.value:
    raise option.ConfigError('--client and --all_clients are both given, expected one of them.')
  output = launch.given(_OUTPUT)
  source_run.check_finished(run_dir)

  # TensorFlow takes seconds to import: only once the flags are known to be good.
  with progress.stage('importing TensorFlow'):
    from tff_lg import personalization, simulation

  simulation.set_execution_context()
  result = personalization.load_result(run_dir, _DATA_DIR.value)
  if _ALL_CLIENTS.value:
    models = result.export_all(output)
    without = models[models['fault'] != '']
    print(f'Clients with models: {len(models) - len(without):,}, in {os.path.abspath(output)}')
    if len(without):
      print(f'Clients without: {len(without):,}, for the reasons in models.csv')
    return
  result.export(client, output)
  print(f'Model of {client}: {os.path.abspath(output)}')


if __name__ == '__main__':
  launch.run(main)
