"""XOR with two clients: one gated unit that knows its client suffices, where an MLP needs two.

Four groups of examples around (+-1, +-1) are labelled by XOR of their signs. Client `up`
has those with x2 > 0, `down` those with x2 < 0. The same x1 means one label at one client and the
opposite label at the other. Rieger et al. 2020, appendix.
"""

import dataclasses
from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from tff_lg import learning, metric_names, models, seeds, training
from tff_lg.compatibility import tff
from tff_lg.training import divergence

CLIENTS = ('up', 'down')
MODELS = ('mlp', 'cgau')

# Mean accuracy on the training examples from which an initialisation counts as solved.
_SOLVED = 0.99


@dataclasses.dataclass(frozen=True)
class XorConfig:
  """Settings of the experiment.

  Attributes:
    conditioning: of the gated unit, `shared` or `local`.
    rounds: rounds of training, both clients in each.
    initialisations: initial weights tried; those that end with the least loss on the
      training examples are kept. A network this small often does not get there.
    num_examples: training examples of a client; as many more are for testing.
    noise: standard deviation around a group's centre, cut off at 0.9.
    batch_size: of local training, one epoch a round.
    learning_rate: of the clients' SGD with momentum 0.9.
    seed: of data, initial weights and order of examples.
  """

  conditioning: str = 'shared'
  rounds: int = 100
  initialisations: int = 12
  num_examples: int = 200
  noise: float = 0.25
  batch_size: int = 20
  learning_rate: float = 0.1
  seed: int = 0

  def __post_init__(self) -> None:
    if self.conditioning not in ('shared', 'local'):
      raise ValueError(f'--conditioning is {self.conditioning}, expected shared or local.')
    for name, least in (('rounds', 1), ('initialisations', 1), ('noise', 0), ('seed', 0)):
      if getattr(self, name) < least:
        raise ValueError(f'--{name} is {getattr(self, name)}, expected at least {least}.')


@dataclasses.dataclass(frozen=True)
class TrainedModel:
  """A model after the last round.

  Attributes:
    weights: all its weights, `layer/weight`, for each of `CLIENTS`; the global ones are
      the same in both.
    train_loss: on the training examples, mean over clients.
    train_accuracy: on the training examples, mean over clients.
    test_accuracy: of each client's own model on its own test examples.
  """

  weights: tuple[dict[str, np.ndarray], ...]
  train_loss: float
  train_accuracy: float
  test_accuracy: tuple[float, ...]


@dataclasses.dataclass(frozen=True)
class XorResult:
  """The results of the experiment.

  Attributes:
    train: the clients' training examples.
    test: the clients' test examples.
    trained: for each of `MODELS`, a `TrainedModel` an initialisation, the chosen first.
  """

  train: tuple[learning.ClientTensors, ...]
  test: tuple[learning.ClientTensors, ...]
  trained: dict[str, tuple[TrainedModel, ...]]

  def summary(self) -> dict[str, float | int]:
    """Returns figures of the chosen models, and how many initialisations solved the task."""
    values: dict[str, float | int] = {}
    for name, (chosen, *others) in self.trained.items():
      for client, accuracy in zip(CLIENTS, chosen.test_accuracy, strict=True):
        values[f'{name}/{metric_names.LOCAL_ACCURACY}/{client}'] = accuracy
      # Both clients have as many test examples.
      pooled = metric_names.pooled(f'{name}/{metric_names.LOCAL_ACCURACY}')
      values[pooled] = float(np.mean(chosen.test_accuracy))
      values[f'{name}/{metric_names.TRAIN_LOSS}'] = chosen.train_loss
      values[f'{name}/initialisations'] = 1 + len(others)
      values[f'{name}/initialisations_solved'] = sum(
        model.train_accuracy >= _SOLVED for model in (chosen, *others)
      )
    return values

  def as_text(self) -> str:
    """Returns a line a model: test accuracy, and how many initialisations solved the task."""
    summary = self.summary()
    lines = []
    for name, label in (('mlp', 'MLP, two hidden units'), ('cgau', 'CGAU, one unit')):
      accuracy = '   '.join(
        f'{part} {summary[f"{name}/{metric_names.LOCAL_ACCURACY}/{part}"]:.3f}'
        for part in (*CLIENTS, 'pooled')
      )
      solved, tried = (
        summary[f'{name}/{count}'] for count in ('initialisations_solved', 'initialisations')
      )
      lines.append(
        f'{label:<23}test accuracy: {accuracy}   solved from {solved} of {tried} initialisations'
      )
    return '\n'.join(lines)


def generate(num_examples: int, noise: float, seed: int) -> tuple[learning.ClientTensors, ...]:
  """Draws the examples of both clients.

  Args:
    num_examples: of each client, half of them of each class.
    noise: standard deviation around a group's centre, cut off at 0.9, so that no
      example changes sides.
    seed: of the draw.

  Returns:
    `up` and `down`: x float32 [num_examples, 2], y int32 [num_examples], which is 1
    where the signs of x1 and x2 differ.
  """
  rng = np.random.default_rng(seed)
  clients = []
  for side in (1, -1):
    centre = np.stack([np.resize([1, -1], num_examples), np.full(num_examples, side)], axis=1)
    x = centre + np.clip(rng.normal(0, noise, centre.shape), -0.9, 0.9)
    y = centre.prod(axis=1) < 0
    clients.append(learning.ClientTensors(x.astype(np.float32), y.astype(np.int32)))
  return tuple(clients)


def run_xor(config: XorConfig) -> XorResult:
  """Trains both models on the same data through the one process.

  Args:
    config: the settings.

  Returns:
    Data and trained models; equal configs give equal results.

  Raises:
    training.DivergenceError: training diverges.
  """
  train, test = (
    generate(
      config.num_examples,
      config.noise,
      seeds.derive_seed(config.seed, seeds.Purpose.PARTITION, part),
    )
    for part in range(2)
  )
  trained = {}
  for name in MODELS:
    starts = [
      build_model(
        name,
        config.conditioning,
        seed=seeds.derive_seed(config.seed, seeds.Purpose.INITIALISATION, number),
      )
      for number in range(config.initialisations)
    ]
    process = learning.build_local_global_process(
      starts[0],
      learning.ProcessSettings(
        client_optimizer=tff.learning.optimizers.build_sgdm(config.learning_rate, 0.9),
        batches=learning.TensorBatches(config.batch_size),
      ),
    )
    seen, unseen = (
      _with_client_index(part) if name == 'cgau' and config.conditioning == 'shared' else part
      for part in (train, test)
    )
    results = [_train(process, start.initial_weights, seen, unseen, config) for start in starts]
    trained[name] = tuple(sorted(results, key=lambda result: result.train_loss))
  return XorResult(train, test, trained)


def build_model(name: str, conditioning: str, *, seed: int) -> models.LocalGlobalModel:
  """Returns one gated unit, or an MLP with two hidden units, on two features.

  Args:
    name: `cgau` or `mlp`.
    conditioning: of the gated unit; the MLP has none.
    seed: of the initial weights.

  Returns:
    The model with its split.
  """
  if name == 'mlp':
    keras_model = models.build_mlp((2,), 2, (2,), seed=seed)
  else:
    keras_model = models.build_cgau(
      (2,),
      2,
      (1,),
      conditioning=conditioning,
      num_clients=len(CLIENTS),
      dropout_rate=0.0,
      seed=seed,
    )
  model = models.from_keras(
    keras_model,
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics={'accuracy': tf.keras.metrics.SparseCategoricalAccuracy},
  )
  return model if name == 'mlp' else model.with_global_layers(models.cgau_global_layers(1))


def _with_client_index(
  clients: Sequence[learning.ClientTensors],
) -> tuple[learning.ClientTensors, ...]:
  return tuple(
    data._replace(x=models.append_client_index(data.x, client, len(clients)))
    for client, data in enumerate(clients)
  )


def _train(
  process: learning.LocalGlobalProcess,
  initial_weights: models.ModelWeights,
  train: Sequence[learning.ClientTensors],
  test: Sequence[learning.ClientTensors],
  config: XorConfig,
) -> TrainedModel:
  """Runs the rounds from one initialisation."""
  phase = training.Phase('xor', process, config.rounds)
  state = training.run(
    [phase],
    training.Clients(CLIENTS, {'train': train}),
    evaluation=training.NEVER,
    seed=config.seed,
    start=training.initial_state(phase, len(CLIENTS), initial_weights),
    wording=divergence.Wording(remedy='lower learning_rate'),
  )
  server_state, client_states = state.server_state, state.clients.get(range(len(CLIENTS)))
  on_train, on_test = (
    process.evaluate(server_state, client_states, list(part)) for part in (train, test)
  )
  model = process.model
  return TrainedModel(
    weights=tuple(
      dict(
        zip(
          model.weight_names,
          model.merge(server_state.global_weights, state.local_weights),
          strict=True,
        )
      )
      for state in client_states
    ),
    train_loss=float(np.mean([metrics['loss'] for metrics in on_train])),
    train_accuracy=float(np.mean([metrics['accuracy'] for metrics in on_train])),
    test_accuracy=tuple(float(metrics['accuracy']) for metrics in on_test),
  )
