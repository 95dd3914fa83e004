"""The files of a run folder that are not settings, checkpoints or metrics by round."""

import os
from typing import Any, NamedTuple

import pandas as pd

from tff_lg import checksums, csv_text, file_names, files, models, strict_json, verdicts
from tff_lg import data as data_lib
from tff_lg.run_folder import run_settings


def write_inputs(
  run_dir: str,
  federated_data: data_lib.FederatedData,
  model: models.LocalGlobalModel,
  about_split: str = '',
) -> None:
  """Writes what a run starts from: labels by client and the model's split, with text about it.

  For a table, also how its columns became features, for `data.TableEncoding.from_json`.
  """
  if federated_data.encoding is not None:
    text = strict_json.dumps(federated_data.encoding.to_json())
    files.write_atomically(os.path.join(run_dir, file_names.TABLE_ENCODING), text)
  label_counts = federated_data.label_counts()
  if label_counts is not None:
    names = map(csv_text.escape, federated_data.class_names)
    counts = pd.DataFrame(label_counts, columns=list(names))
    ids = [csv_text.escape(client.client_id) for client in federated_data.clients]
    counts.insert(0, 'client_id', ids)
    files.write_atomically(
      os.path.join(run_dir, file_names.LABEL_COUNTS), counts.to_csv(index=False)
    )
  split = '\n\n'.join(filter(None, (model.describe_split(), about_split)))
  files.write_atomically(os.path.join(run_dir, file_names.MODEL_SPLIT), split + '\n')


class Seconds(NamedTuple):
  """How long a run took.

  Attributes:
    command: from the start of the command that ended it; it may have resumed an earlier one. Its
      report adds its own, see `analysis.write_report`.
    rounds: all rounds with their evaluations.
  """

  command: float
  rounds: float


def write_results(
  run_dir: str, summary: dict[str, Any], clients: pd.DataFrame, seconds: Seconds, num_rounds: int
) -> None:
  """Writes what a training run ends with."""
  timing = {
    'seconds': seconds.command,
    'rounds_seconds': seconds.rounds,
    'rounds_per_second': num_rounds / seconds.rounds if seconds.rounds else None,
  }
  files.write_atomically(os.path.join(run_dir, file_names.TIMING), strict_json.dumps(timing))
  write_tables(run_dir, summary, clients)


def write_without_rounds(
  run_dir: str, summary: dict[str, Any], clients: pd.DataFrame, seconds: float
) -> None:
  """Writes what a run without rounds ends with: a `metrics.csv` without rows, and the rest."""
  files.write_atomically(os.path.join(run_dir, file_names.METRICS), 'round_num,method\n')
  write_results(run_dir, summary, clients, Seconds(seconds, 0.0), 0)


def write_tables(run_dir: str, summary: dict[str, Any], clients: pd.DataFrame) -> None:
  """Writes what runs of all kinds end with; `summary.json`, the last, marks one as complete."""
  files.write_atomically(os.path.join(run_dir, file_names.CLIENTS), clients.to_parquet(index=False))
  # Marks are no numbers, which they look like in a CSV file.
  for_people = clients.drop(columns=[name for name in clients if name.endswith(verdicts.MARKS)])
  escaped = for_people.assign(client_id=clients['client_id'].map(csv_text.escape))
  text = escaped.to_csv(index=False, lineterminator='\n')
  files.write_atomically(os.path.join(run_dir, file_names.CLIENTS_TEXT), text)
  text = strict_json.dumps(summary)
  checksums.write(run_dir, text)
  files.write_atomically(os.path.join(run_dir, file_names.SUMMARY), text)


def write_held_out_clients(run_dir: str, clients: pd.DataFrame) -> None:
  """Writes the table of clients that took no part, with the columns of that of the others."""
  files.write_atomically(
    os.path.join(run_dir, file_names.HELD_OUT_CLIENTS), clients.to_parquet(index=False)
  )


def write_validation_curves(run_dir: str, curves: pd.DataFrame) -> None:
  """Writes an adaptation's means over validation data, by setting and epoch."""
  text = curves.to_csv(index=False, lineterminator='\n')
  files.write_atomically(os.path.join(run_dir, file_names.VALIDATION_CURVES), text)


def load_held_out_clients(run_dir: str) -> pd.DataFrame | None:
  """Loads the table of clients that took no part; None for a run without any.

  Raises:
    ValueError: the file is damaged; one sentence that names it.
  """
  path = os.path.join(run_dir, file_names.HELD_OUT_CLIENTS)
  return _load_table(path) if os.path.exists(path) else None


def load_results(run_dir: str) -> tuple[dict[str, Any], pd.DataFrame]:
  """Loads the summary and the table of clients of a complete run.

  Raises:
    ValueError: one of the files is damaged; one sentence that names it.
  """
  return run_settings.load_summary(run_dir), _load_table(os.path.join(run_dir, file_names.CLIENTS))


def _load_table(path: str) -> pd.DataFrame:
  checksums.check(path)
  try:
    return pd.read_parquet(path)
  except FileNotFoundError:
    raise
  except (ValueError, OSError) as error:  # Arrow raises both.
    raise ValueError(f'{path} is damaged ({error}): {run_settings.REMEDY}.') from error
