"""Makes clients from clusters of pooled embeddings, and measures how much they differ.

  python -m pipelines.simulate_clients --embeddings=fsd.npz --output_dir=clients
  python -m pipelines.simulate_clients --output_dir=clients  # On embedded digits.

For each share p of examples reassigned at random, writes clients_p<p>.npz and
clients_p<p>.png. For all shares, writes distances.csv and distances.png: each client's
Frechet distance to the others' examples, in the training part.
"""

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from absl import flags

from pipelines import launch, path_flags
from tff_lg import progress

if TYPE_CHECKING:  # They take seconds to import.
  import pandas as pd
  from matplotlib.figure import Figure

  from tff_lg import embeddings

_EMBEDDINGS = path_flags.define(
  'embeddings',
  None,
  'File written by pipelines.embed. Without it: the pixels of scikit-learn digits.',
)
_NUM_CLIENTS = flags.DEFINE_integer('num_clients', 10, 'Clients, at least 2.', lower_bound=2)
_SHUFFLED_SHARE = flags.DEFINE_list(
  'shuffled_share',
  ['0', '0.2', '0.4', '0.6', '0.8', '1'],
  'Shares p in [0, 1] of examples that are reassigned at random, separated by commas.',
)
_SEED = flags.DEFINE_integer(
  'seed', 0, 'Seed of k-means, the owners of the centroids and reassigned examples.', lower_bound=0
)
_OUTPUT_DIR = path_flags.define('output_dir', None, 'Folder for the files, created if needed.')


def _shares() -> tuple[float, ...]:
  """Returns the shares that the flag says, each once, ascending."""
  try:
    shares = tuple(sorted({float(text) for text in _SHUFFLED_SHARE.value}))
  except ValueError:
    shares = ()
  if not shares or not all(0 <= share <= 1 for share in shares):
    raise ValueError(
      f'--shuffled_share is {",".join(_SHUFFLED_SHARE.value)}, expected numbers in [0, 1].'
    )
  return shares


def _simulate(
  examples: 'embeddings.EmbeddingSet', shares: Sequence[float], output_dir: str
) -> 'pd.DataFrame':
  """Writes every file; returns the distances, a row for each client at each share."""
  import pandas as pd

  from tff_lg import files, heterogeneity
  from tff_lg.analysis import figures, style

  def write_figure(figure: 'Figure', name: str) -> None:
    files.write_atomically(os.path.join(output_dir, name), style.png_bytes(figure))

  clients = heterogeneity.simulate_clients(
    examples.x, examples.y, examples.split, _NUM_CLIENTS.value, shares[0], _SEED.value
  )
  if clients.num_missing_centroids:
    print(
      f'{clients.num_missing_centroids} times a client has no centroid of a class, which has '
      'fewer distinct training examples than there are clients.'
    )
  made_by = {'made_by': 'pipelines.simulate_clients', 'embeddings': json.loads(examples.provenance)}
  tables = []
  for share in progress.over(shares, len(shares), 'share'):
    clients = heterogeneity.shuffle_clients(clients, share)
    tables.append(heterogeneity.distance_table(examples.x, examples.split, clients))
    assignment = heterogeneity.ClientAssignment.from_simulation(
      clients, examples.ids, examples.split, json.dumps(made_by)
    )
    heterogeneity.save_clients(os.path.join(output_dir, f'clients_p{share}.npz'), assignment)
    chart = figures.clients_map(
      clients.coordinates,
      clients.client,
      examples.y,
      examples.class_names.tolist(),
      clients.centroids,
    )
    write_figure(chart, f'clients_p{share}.png')
  distances = pd.concat(tables, ignore_index=True)
  text = distances.to_csv(index=False, lineterminator='\n')
  files.write_atomically(os.path.join(output_dir, 'distances.csv'), text)
  write_figure(figures.distance_by_share(distances), 'distances.png')
  return distances


def main() -> None:
  """Checks the flags, then simulates, measures and draws."""
  output_dir = launch.given(_OUTPUT_DIR, 'a folder for the files')
  shares = _shares()

  # Scikit-learn, pandas and Matplotlib take seconds to import: only for flags that are good.
  from tff_lg import embeddings

  examples = (
    embeddings.EmbeddingSet.load(_EMBEDDINGS.value)
    if _EMBEDDINGS.value
    else embeddings.load_digits()
  )
  distances = _simulate(examples, shares, output_dir)

  print('   p  mean Frechet distance  examples per client')
  for share, rows in distances.groupby('p'):
    sizes = f'{rows["num_examples"].min():,} to {rows["num_examples"].max():,}'
    print(f'{share:4g}  {rows["distance"].mean():21,.4g}  {sizes:>17}')
  if num_unknown := int(distances['distance'].isna().sum()):
    print(f'{num_unknown} clients (over all p) have under 2 training examples, and no distance.')
  print(f'Files: {os.path.abspath(output_dir)}')


if __name__ == '__main__':
  launch.run(main)
