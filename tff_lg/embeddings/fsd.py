"""Which clips a data set in the layout of FSDKaggle2018 has.

    FSDKaggle2018.audio_train/*.wav
    FSDKaggle2018.audio_test/*.wav
    FSDKaggle2018.meta/train_post_competition.csv              fname, label, ...
    FSDKaggle2018.meta/test_post_competition_scoring_clips.csv fname, label, ...

Fonseca et al. 2018, General-purpose tagging of Freesound audio with AudioSet labels.
"""

import dataclasses
import pathlib

import numpy as np
import pandas as pd

from tff_lg.embeddings import embedding_set

REST = 'rest'
_META = 'FSDKaggle2018.meta'
_PARTS = {
  'train': ('FSDKaggle2018.audio_train', 'train_post_competition.csv'),
  'test': ('FSDKaggle2018.audio_test', 'test_post_competition_scoring_clips.csv'),
}


@dataclasses.dataclass(frozen=True, eq=False)
class ClipList:
  """The clips of a data set, row by row; the files need not be readable.

  Attributes:
    ids: str [n], file names.
    paths: str [n].
    y: int32 [n], labels from 0.
    split: str [n], 'train' or 'test'.
    class_names: str [c].
  """

  ids: np.ndarray
  paths: np.ndarray
  y: np.ndarray
  split: np.ndarray
  class_names: np.ndarray

  def take(self, indices: np.ndarray) -> 'ClipList':
    """Returns the clips at `indices` (integers [m]), in that order."""
    rows = {name: getattr(self, name)[indices] for name in ('ids', 'paths', 'y', 'split')}
    return dataclasses.replace(self, **rows)


def list_clips(data_dir: str, positive_class: str | None = None) -> ClipList:
  """Lists the clips of the two CSV files, in their order, training part first.

  A clip in a folder but in no CSV file is not listed: FSDKaggle2018's test folder has thousands
  that were never scored.

  Args:
    data_dir: the folder with FSDKaggle2018.meta.
    positive_class: makes the labels binary: 1 for this class, 0 ('rest') for all others. None
      keeps all labels, sorted by name.

  Returns:
    The clips.

  Raises:
    EmbeddingError: a folder, file or column is missing, a clip has no label or is listed twice,
      or no clip has the positive class.
  """
  folder = pathlib.Path(data_dir).expanduser()
  if not folder.is_dir():
    raise embedding_set.EmbeddingError(f'--data_dir: {folder} found, expected an existing folder.')
  tables = [_read_part(folder, split) for split in _PARTS]
  table = pd.concat(tables, ignore_index=True)
  twice = table['fname'][table['fname'].duplicated()]
  if len(twice):
    raise embedding_set.EmbeddingError(
      f'{folder / _META}: clip {twice.iloc[0]} is listed twice, expected each file name once.'
    )
  if positive_class is None:
    labels, class_names = pd.factorize(table['label'], sort=True)
  else:
    labels, class_names = table['label'] == positive_class, [REST, positive_class]
    if not labels.any():
      raise embedding_set.EmbeddingError(
        f'--positive_class: no clip of {positive_class} found in {folder / _META}, '
        f'expected one of {", ".join(sorted(table["label"].unique()))}.'
      )
  return ClipList(
    ids=table['fname'].to_numpy(str),
    paths=table['path'].to_numpy(str),
    y=np.asarray(labels).astype(np.int32),
    split=table['split'].to_numpy(str),
    class_names=np.array(class_names, str),
  )


def _read_part(folder: pathlib.Path, split: str) -> pd.DataFrame:
  """Returns columns fname, label, path, split of one part."""
  audio, csv = _PARTS[split]
  path = folder / _META / csv
  if not path.is_file():
    raise embedding_set.EmbeddingError(
      f'{folder}: no {_META}/{csv} found, expected it there (--data_dir).'
    )
  if not (folder / audio).is_dir():
    raise embedding_set.EmbeddingError(
      f'{folder}: no folder {audio} found, expected it there (--data_dir).'
    )
  try:
    # As text: a name or a label may look like a number, or like a missing value.
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
  except (ValueError, OSError) as error:
    raise embedding_set.EmbeddingError(f'{path}: cannot be read as CSV ({error}).') from error
  if not {'fname', 'label'} <= set(table.columns):
    found = ', '.join(table.columns)
    raise embedding_set.EmbeddingError(f'{path}: columns {found} found, expected fname and label.')
  table = table[['fname', 'label']]
  empty = np.flatnonzero((table == '').any(axis=1))
  if len(empty):
    raise embedding_set.EmbeddingError(
      f'{path}: row {empty[0] + 1} has no fname or no label, expected both.'
    )
  paths = [str(folder / audio / name) for name in table['fname']]
  return table.assign(path=paths, split=split)
