"""Clients with a feature shift, out of pooled embeddings.

The classes of every client are the same; what differs is where in a class its examples
lie (Rieger et al. 2020):

1. project the embeddings to the first two principal components of the training part;
2. cluster each class of the training part by k-means, one centroid a client;
3. give each client one centroid of each class, at random;
4. give every example, of every split, to the client with the nearest centroid of its class;
5. reassign a share p of the examples to clients drawn uniformly at random.

At p = 0 clients are as different as they get, at p = 1 they are alike.
"""

import dataclasses
import enum

import numpy as np


class _Purpose(enum.IntEnum):
  """The uses of randomness; the numbers are part of the meaning of a seed."""

  K_MEANS = 0
  ASSIGNMENT = 1
  SHUFFLING = 2


@dataclasses.dataclass(frozen=True, eq=False)
class SimulatedClients:
  """Which client each example is of, and how that came about.

  Attributes:
    client: int32 [n], the client of each example, in [0, num_clients).
    nearest_client: int32 [n], the same before any example was reassigned.
    coordinates: float32 [n, 2], the first two principal components.
    centroids: float32 [num_classes, num_clients, 2], the centroid of each class that each
      client owns; NaN where it owns none.
    num_clients: how many clients there are.
    shuffled_share: p, the share of examples that were reassigned, in [0, 1].
    seed: of everything random here.
  """

  client: np.ndarray
  nearest_client: np.ndarray
  coordinates: np.ndarray
  centroids: np.ndarray
  num_clients: int
  shuffled_share: float
  seed: int

  @property
  def num_missing_centroids(self) -> int:
    """How many times a client has no centroid of a class that has training examples."""
    missing = np.isnan(self.centroids[..., 0])
    return int(missing[~missing.all(axis=1)].sum())


def simulate_clients(
  x: np.ndarray,
  y: np.ndarray,
  split: np.ndarray,
  num_clients: int,
  shuffled_share: float,
  seed: int,
) -> SimulatedClients:
  """Spreads examples over clients by clusters of their embeddings.

  A class with fewer distinct training examples than there are clients (distinct by their
  coordinates) has as many centroids as distinct examples. They go to as many clients, drawn
  at random; the others have no example of that class but what step 5 brings them.
  `SimulatedClients.num_missing_centroids` counts these cases.

  Clients differ in size, and some may have no example.

  Randomness is split by purpose. The centroids of k-means, their owners and the order in which
  examples are reassigned do not depend on `shuffled_share`. An example that is reassigned at p is
  reassigned to the same client at every larger p.

  Args:
    x: numbers [n, d], d at least 2, the embeddings.
    y: integers [n], labels from 0.
    split: str [n], the part each example is of. Only 'train' is fitted to.
    num_clients: how many clients, a positive integer.
    shuffled_share: p, in [0, 1].
    seed: of everything random here, not negative.

  Returns:
    The clients.

  Raises:
    ValueError: arrays do not fit each other, or a number is out of its range. Or there are fewer
      than two training examples, or a class is only in other splits.

  Rieger et al. 2020, "Client Adaptation improves Federated Learning with Simulated Non-IID
  Clients".
  """
  _check_numbers(num_clients, shuffled_share, seed)
  _check_arrays(x, y, split)
  is_train = split == 'train'
  coordinates = _principal_components(x, is_train)
  centroids = _centroids_of_clients(coordinates[is_train], y[is_train], y, num_clients, seed)
  nearest = _nearest_client(coordinates, y, centroids)
  clients = SimulatedClients(
    client=nearest,
    nearest_client=nearest,
    coordinates=coordinates,
    centroids=centroids,
    num_clients=num_clients,
    shuffled_share=0.0,
    seed=seed,
  )
  return shuffle_clients(clients, shuffled_share)


def shuffle_clients(clients: SimulatedClients, shuffled_share: float) -> SimulatedClients:
  """Returns the same clients with another share of examples reassigned: step 5 alone.

  Args:
    clients: made by `simulate_clients`, at any share.
    shuffled_share: p, in [0, 1]. It reassigns p * n examples, rounded to the nearest number.
      Each goes to a client drawn uniformly from all, which may be the one that had it.

  Returns:
    What `simulate_clients` gives at that share, without its clustering.

  Raises:
    ValueError: a share outside of [0, 1].
  """
  _check_numbers(clients.num_clients, shuffled_share, clients.seed)
  num_examples = len(clients.nearest_client)
  rng = _generator(clients.seed, _Purpose.SHUFFLING)
  # Both are drawn for every example, so that they are the same for every share.
  order = rng.permutation(num_examples)
  drawn = rng.integers(clients.num_clients, size=num_examples, dtype=np.int32)
  chosen = order[: int(shuffled_share * num_examples + 0.5)]
  client = clients.nearest_client.copy()
  client[chosen] = drawn[chosen]
  return dataclasses.replace(clients, client=client, shuffled_share=float(shuffled_share))


def _principal_components(x: np.ndarray, is_train: np.ndarray) -> np.ndarray:
  """Computes step 1: float32 [n, 2]."""
  # Imported here: scikit-learn takes a second to import.
  from sklearn import decomposition

  # Centred first: the solver subtracts n * mean^2 from a sum of squares, in float32.
  centred = (x - x[is_train].mean(axis=0, dtype=np.float64)).astype(np.float32)
  # This solver is exact and draws nothing, and costs n d^2 whatever the shape.
  pca = decomposition.PCA(n_components=2, svd_solver='covariance_eigh')
  return pca.fit(centred[is_train]).transform(centred).astype(np.float32)


def _centroids_of_clients(
  train_coordinates: np.ndarray,
  train_y: np.ndarray,
  y: np.ndarray,
  num_clients: int,
  seed: int,
) -> np.ndarray:
  """Takes steps 2 and 3: float32 [num_classes, num_clients, 2], NaN for none."""
  centroids = np.full((int(y.max()) + 1, num_clients, 2), np.nan, np.float32)
  for label in np.unique(y):
    points = train_coordinates[train_y == label]
    if not len(points):
      raise ValueError(
        f'Class {label} has {np.sum(y == label)} examples but none of split train, '
        'expected at least one of every class.'
      )
    of_class = _cluster(points, num_clients, _generator(seed, _Purpose.K_MEANS, label))
    owners = _generator(seed, _Purpose.ASSIGNMENT, label).permutation(num_clients)
    centroids[label, owners[: len(of_class)]] = of_class
  return centroids


def _cluster(points: np.ndarray, num_clusters: int, rng: np.random.Generator) -> np.ndarray:
  """Returns centroids of points, float32 [at most num_clusters, 2]."""
  from sklearn import cluster

  num_clusters = min(num_clusters, len(np.unique(points, axis=0)))
  k_means = cluster.KMeans(num_clusters, n_init=10, random_state=int(rng.integers(2**31)))
  centroids = k_means.fit(points.astype(np.float64)).cluster_centers_.astype(np.float32)
  # In an order of their own, so that it does not matter which start of k-means found them.
  return centroids[np.lexsort(centroids.T)]


def _nearest_client(coordinates: np.ndarray, y: np.ndarray, centroids: np.ndarray) -> np.ndarray:
  """Computes step 4: int32 [n]."""
  client = np.empty(len(y), np.int32)
  for label in np.unique(y):
    of_class = y == label
    offsets = coordinates[of_class, np.newaxis] - centroids[label]
    client[of_class] = np.nanargmin(np.sum(offsets**2, axis=-1), axis=1)
  return client


def _generator(seed: int, purpose: _Purpose, *path: int) -> np.random.Generator:
  sequence = np.random.SeedSequence(seed, spawn_key=(int(purpose), *map(int, path)))
  return np.random.default_rng(sequence)


def _check_numbers(num_clients: int, shuffled_share: float, seed: int) -> None:
  if num_clients < 1:
    raise ValueError(f'num_clients: {num_clients} found, expected a positive integer.')
  if not 0 <= shuffled_share <= 1:
    raise ValueError(f'shuffled_share: {shuffled_share} found, expected a number in [0, 1].')
  if seed < 0:
    raise ValueError(f'seed: {seed} found, expected an integer that is not negative.')


def _check_arrays(x: np.ndarray, y: np.ndarray, split: np.ndarray) -> None:
  if x.dtype.kind not in 'iuf' or x.ndim != 2 or x.shape[1] < 2:
    raise ValueError(f'x is {x.dtype} {list(x.shape)}, expected numbers [n, d], d at least 2.')
  if y.dtype.kind not in 'iu' or y.shape != x.shape[:1]:
    raise ValueError(f'y is {y.dtype} {list(y.shape)}, expected {len(x)} integers.')
  if split.dtype.kind != 'U' or split.shape != x.shape[:1]:
    raise ValueError(f'split is {split.dtype} {list(split.shape)}, expected {len(x)} strings.')
  if (num_train := int(np.sum(split == 'train'))) < 2:
    raise ValueError(f'split has {num_train} examples of train, expected at least 2.')
  if y.min() < 0:
    raise ValueError(f'y has the label {y.min()}, expected labels from 0.')
  if not np.isfinite(x).all():
    row = int(np.argwhere(~np.isfinite(x))[0][0])
    raise ValueError(f'x has a value in row {row} that is not finite, expected none.')
