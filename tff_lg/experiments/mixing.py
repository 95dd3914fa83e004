"""Loss of mixtures of two models that were trained apart, from the same or from other weights.

Two clients with different examples each train alone. The loss of theta w + (1 - theta) w' over all
training examples shows the effect of averaging. From shared initial weights the mean is better than
both models; from independent ones it is far worse. McMahan et al. 2017, Figure 1.
"""

import dataclasses

import numpy as np
import pandas as pd
import tensorflow as tf

from tff_lg import data as data_lib
from tff_lg import learning, models, seeds, training
from tff_lg.compatibility import tff
from tff_lg.experiments.mixing_config import MixingConfig
from tff_lg.training import divergence

STARTS = ('shared', 'independent')
_SIZES = {'mnist': 600, 'digits': 200}
_UNITS = (200, 200)
_BATCH_SIZE = 50


@dataclasses.dataclass(frozen=True)
class MixingResult:
  """Losses of mixtures.

  Attributes:
    name: of the data.
    thetas: mixing weights, [num_points].
    losses: by start, over all training examples, [num_points] each.
    alone: by start, loss of each model.
    halves: by start, loss of the mean of both.
  """

  name: str
  thetas: np.ndarray
  losses: dict[str, np.ndarray]
  alone: dict[str, tuple[float, float]]
  halves: dict[str, float]

  def summary(self) -> dict[str, float]:
    """Returns the numbers by name."""
    found = {}
    for start in STARTS:
      found[f'{start}/loss/mean_of_both'] = self.halves[start]
      found[f'{start}/loss/better_alone'] = min(self.alone[start])
      best = int(np.argmin(self.losses[start]))
      found[f'{start}/loss/best_mixture'] = float(self.losses[start][best])
      found[f'{start}/best_theta'] = float(self.thetas[best])
    return found

  def as_text(self) -> str:
    """Returns a line for each start."""
    return '\n'.join(
      f'{start} initial weights: loss {self.halves[start]:.4f} of the mean of both models, '
      f'{self.alone[start][0]:.4f} and {self.alone[start][1]:.4f} of each alone'
      for start in STARTS
    )

  def as_csv(self) -> str:
    """Returns the losses by mixing weight, a column for each start."""
    table = pd.DataFrame({'theta': self.thetas, **self.losses})
    return table.to_csv(index=False, lineterminator='\n')


def run_mixing(config: MixingConfig) -> MixingResult:
  """Trains two models from each start, and scores their mixtures.

  Args:
    config: the settings.

  Raises:
    data_lib.DataError: the files of MNIST are missing or damaged.
    training.DivergenceError: a model diverges.
  """
  source = data_lib.load_source(
    'mnist' if config.data_dir else 'digits',
    config.data_dir,
    seeds.derive_seed(config.seed, seeds.Purpose.PARTITION),
  )
  train = source.train
  size = _SIZES[source.name]
  drawn = np.random.default_rng(
    seeds.derive_seed(config.seed, seeds.Purpose.PARTITION, 1)
  ).permutation(len(train))
  parts = [train.take(drawn[:size]), train.take(drawn[size : 2 * size])]
  clients = [learning.ClientTensors(part.x, part.y) for part in parts]
  initial = [_build_model(source, config.seed, number).initial_weights for number in range(2)]
  process = learning.build_local_global_process(
    _build_model(source, config.seed, 0).with_global_layers(()),
    learning.ProcessSettings(
      client_optimizer=tff.learning.optimizers.build_sgdm(config.learning_rate),
      batches=learning.TensorBatches(_BATCH_SIZE, num_epochs=config.epochs),
    ),
  )
  thetas = np.linspace(-0.2, 1.2, config.num_points)
  losses, alone, halves = {}, {}, {}
  for start, weights in zip(STARTS, ([initial[0]] * 2, initial), strict=True):
    first, second = _train(process, clients, weights, config.seed)
    found = _losses(process, train, first, second, np.array([*thetas, 1.0, 0.0, 0.5]))
    losses[start] = found[: len(thetas)]
    one, other, half = found[len(thetas) :].tolist()
    alone[start], halves[start] = (one, other), half
  return MixingResult(source.name, thetas, losses, alone, halves)


def _build_model(source: data_lib.Source, seed: int, number: int) -> models.LocalGlobalModel:
  """Returns the paper's perceptron with the first or second initial weights."""
  return models.from_keras(
    models.build_mlp(
      source.train.x.shape[1:],
      source.num_classes,
      _UNITS,
      seed=seeds.derive_seed(seed, seeds.Purpose.INITIALISATION, number),
    ),
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics={'accuracy': tf.keras.metrics.SparseCategoricalAccuracy},
  )


def _train(
  process: learning.LocalGlobalProcess,
  clients: list[learning.ClientTensors],
  weights: list[models.ModelWeights],
  seed: int,
) -> list[models.ModelWeights]:
  """Returns the weights of both clients after each has trained alone."""
  phase = training.Phase('mixing', process, 1)
  state = training.run(
    [phase],
    training.Clients(['first', 'second'], {'train': clients}),
    evaluation=training.NEVER,
    seed=seed,
    start=training.initial_state(phase, 2, weights[0], weights),
    wording=divergence.Wording(remedy='lower --learning_rate'),
  )
  return [each.local_weights for each in state.clients.get(range(2))]


def _losses(
  process: learning.LocalGlobalProcess,
  train: data_lib.Examples,
  first: models.ModelWeights,
  second: models.ModelWeights,
  thetas: np.ndarray,
) -> np.ndarray:
  """Returns the loss of each mixture over all training examples, [num_thetas]."""
  everything = learning.ClientTensors(train.x, train.y)
  found = []
  for theta in thetas:
    mixed = tuple(
      (theta * one + (1 - theta) * other).astype(np.float32)
      for one, other in zip(first, second, strict=True)
    )
    state = process.initialize_client(mixed)
    (metrics,) = process.evaluate(process.initialize(mixed), [state], [everything])
    found.append(float(metrics['loss']))
  return np.array(found)
