"""The result of a finished command: its table of clients, its summary, and clients' models."""

import os
from typing import Any

import pandas as pd

from tff_lg import csv_text, file_names, files, metric_names, progress
from tff_lg.personalization import client_models
from tff_lg.run_folder import run_files, source_run
from tff_lg.simulation import export as export_lib

# In a folder of all clients' models: which folder has whose, and why there is none.


class Result:
  """A folder of `pipelines.train`, `pipelines.adapt` or `pipelines.advise`.

  Attributes:
    run_dir: the folder.
    summary: numbers by name.
    clients: one row per client, as in `clients.parquet`.
  """

  def __init__(self, run_dir: str, data_dir: str | None = None) -> None:
    """Reads the summary and the table; models are read when they are asked for."""
    self.run_dir, self._data_dir = run_dir, data_dir
    self._runs: dict[str, client_models.Load] = {}
    self.summary: dict[str, Any]
    self.clients: pd.DataFrame
    self.summary, self.clients = run_files.load_results(run_dir)

  def model_for(self, client_id: str) -> Any:
    """Returns the Keras model of a client, from features to logits, several inputs by name.

    Functions that return models of Keras 3 give such ones, all others those of legacy Keras. In an
    advice it is the model that the client is advised to use, in a run its chosen one.

    Args:
      client_id: the client's name.

    Raises:
      ValueError: no such client, data that have changed, or a model without a Keras form.
      checkpoints.CheckpointError: the run's models are missing or damaged.
    """
    return self._open(client_id)(client_id).keras_model

  def export(self, client_id: str, output_dir: str) -> None:
    """Writes a client's model as `pipelines.export` does.

    Args:
      client_id: the client's name.
      output_dir: a folder that does not exist yet, or is empty.

    Raises:
      ValueError: as `model_for`; or a folder with something in it.
      OSError: the folder cannot be written.
    """
    export_lib.check_output(output_dir)
    self._open(client_id)  # It has a stage of its own.
    with progress.stage('writing the model'):
      self._write(client_id, output_dir)

  def export_all(self, output_dir: str) -> pd.DataFrame:
    """Writes the models of all clients, each into a folder with the client's row number as name.

    `models.csv` lists them.

    Args:
      output_dir: a folder that does not exist yet, or is empty.

    Returns:
      A row per client with `folder`, `client_id` and `fault`: why there is no model, or nothing.

    Raises:
      ValueError: no client has a model, or a folder with something in it; one sentence.
      OSError: a folder cannot be written.
    """
    export_lib.check_output(output_dir)
    rows = []
    clients = self.clients['client_id']
    for number, client_id in enumerate(progress.over(clients, len(clients), 'client', 'models')):
      fault = ''
      try:
        self._write(client_id, os.path.join(output_dir, str(number)))
      except ValueError as error:  # Of a model without a Keras form.
        fault = str(error)
      rows.append({'folder': str(number), 'client_id': client_id, 'fault': fault})
    table = pd.DataFrame(rows)
    if table['fault'].all():
      raise ValueError(table['fault'][0])
    escaped = table.assign(client_id=table['client_id'].map(csv_text.escape))
    text = escaped.to_csv(index=False, lineterminator='\n')
    files.write_atomically(os.path.join(output_dir, file_names.MODELS), text)
    return table

  def _write(self, client_id: str, output_dir: str) -> None:
    export_lib.export_client(self._open(client_id)(client_id), output_dir)

  def _open(self, client_id: str) -> client_models.Load:
    folder = self._folder_for(client_id)
    if folder not in self._runs:
      with progress.stage(f'loading {folder}'):
        self._runs[folder] = client_models.open_run(folder, self._data_dir)
    return self._runs[folder]

  def _folder_for(self, client_id: str) -> str:
    """Returns the folder of the run that has the client's model."""
    path = os.path.join(self.run_dir, file_names.ADVICE)
    if not os.path.exists(path):
      return self.run_dir
    advised = dict(zip(self.clients['client_id'], self.clients[metric_names.ADVICE], strict=True))
    if client_id not in advised:
      raise ValueError(f'--client is {client_id}, expected a client of {path}.')
    # An advice of several seeds has the models of the first one.
    first = str(self.summary.get('first_run', ''))
    return os.path.join(self.run_dir, first, file_names.PARTS, advised[client_id])


def load_result(run_dir: str, data_dir: str | None = None) -> Result:
  """Loads what a finished command has found.

  Args:
    run_dir: the folder of a finished run of `pipelines.train`, `pipelines.adapt` or
      `pipelines.advise`.
    data_dir: where the run's data are now; where they were by default.

  Raises:
    ValueError: it holds no finished run, or a damaged file; one sentence.
  """
  source_run.check_finished(run_dir)
  return Result(run_dir, data_dir)
