"""The networks of the experiment on fair representations, and what they say of rows."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from tff_lg import data as data_lib
from tff_lg import learning, models, seeds
from tff_lg.compatibility import tff
from tff_lg.config.own_models import LOCAL_ONLY
from tff_lg.experiments import fair_config, fair_local

# The paper's: of the network, and of the devices' SGD, whose momentum starts afresh each round.
_DROPOUT = 0.2
_BATCH_SIZE, _LEARNING_RATE, _MOMENTUM = 32, 0.1, 0.5
_NUM_ATTRIBUTES = len(data_lib.ADULT_ATTRIBUTES)


class Split(NamedTuple):
  """A method.

  Attributes:
    below_is_global: whether the layers up to h are global.
    above_is_global: whether the layers above h are.
    adversary_is_global: whether the adversary is.
    adversary_acts: whether it ever does.
  """

  below_is_global: bool
  above_is_global: bool
  adversary_is_global: bool
  adversary_acts: bool = True


SPLITS: Mapping[str, Split] = {
  LOCAL_ONLY: Split(False, False, False, adversary_acts=False),
  'fedavg': Split(True, True, True),
  'lg_fedavg': Split(False, True, False),
}


class DeviceOutputs(NamedTuple):
  """Outputs of a device's own model and adversary for n rows.

  Attributes:
    h: representation, float32 [n, size]; NaN for a simple model, which has none.
    probability: float32 [n], of an income above 50K.
    guesses: float32 [n, 2], the adversary's probability of each attribute being 1; NaN without h.
    y: int32 [n], the income's class.
    attributes: int32 [n, 2].
  """

  h: np.ndarray
  probability: np.ndarray
  guesses: np.ndarray
  y: np.ndarray
  attributes: np.ndarray


# (weights, rows) -> what model and adversary say of them.
Look = Callable[[models.ModelWeights, learning.ClientTensors], DeviceOutputs]


@dataclasses.dataclass(frozen=True)
class Networks:
  """Builds the network and the adversary of a config, for rows of a number of inputs."""

  config: fair_config.FairConfig
  num_inputs: int

  def build_model(
    self, seed: int, strength: float, split: Split
  ) -> tuple[models.LocalGlobalModel, models.Adversary]:
    """Returns the network with the adversary's weights, split, and the adversary."""
    hidden = [f'hidden_{n}' for n in range(1, len(self.config.hidden_units) + 1)]
    below = hidden[: fair_config.LAYERS_TO_H]
    above = (*hidden[fair_config.LAYERS_TO_H :], 'output')
    adversary = models.build_adversary(
      self._keras_model(seed),
      above,
      _NUM_ATTRIBUTES,
      strength=strength,
      learning_rate=_LEARNING_RATE,
      dropout_rate=self.config.adversary_dropout_rate,
      seed=seeds.derive_seed(seed, seeds.Purpose.INITIALISATION, 1),
    )
    model = models.protected_classifier(self._keras_model(seed), _NUM_ATTRIBUTES)
    layers = (
      *(below if split.below_is_global else ()),
      *(above if split.above_is_global else ()),
    )
    return (
      model.with_global_layers(layers).with_extra_weights(
        adversary.own_weights, are_global=split.adversary_is_global
      ),
      adversary,
    )

  def build_process(
    self, method: str, strength: float, epochs: int = 1
  ) -> learning.LocalGlobalProcess:
    """Returns the process for any seed: the build's seed only tells dropout layers apart."""
    model, adversary = self.build_model(0, strength, SPLITS[method])
    return learning.build_local_global_process(
      model,
      learning.ProcessSettings(
        client_optimizer=tff.learning.optimizers.build_sgdm(_LEARNING_RATE, _MOMENTUM),
        batches=learning.TensorBatches(_BATCH_SIZE, num_epochs=epochs),
        objective=learning.with_auxiliary(adversary, 1.0),
      ),
    )

  def build_trainer(self) -> fair_local.NetworkTrainer:
    """Trains own networks with an adversary that only listens; for any seed, as processes are."""
    model, adversary = self.build_model(0, 0.0, SPLITS[LOCAL_ONLY])
    return fair_local.NetworkTrainer(
      model,
      learning.with_auxiliary(adversary, 1.0),
      lambda rate: tff.learning.optimizers.build_sgdm(rate, _MOMENTUM),
      learning.TensorBatches(_BATCH_SIZE),
      self.config.own_model_options,
      _LEARNING_RATE,
    )

  def build_look(self) -> Look:
    """Returns a function (weights, rows) -> what model and adversary say, without dropout."""
    model, adversary = self.build_model(0, 0.0, SPLITS[LOCAL_ONLY])
    weight_types = tuple(tff.TensorType(w.dtype.type, w.shape) for w in model.initial_weights)

    @tff.tensorflow.computation(weight_types, tff.TensorType(np.float32, [None, self.num_inputs]))
    def compute(weights: Any, x: Any) -> tuple:
      by_name = dict(zip(model.weight_names, tuple(weights), strict=True))
      h, guesses = adversary.guess(tuple(by_name[name] for name in adversary.weight_names), x)
      logits = model.predict(tuple(weights), x, training=False)
      return h, tf.nn.softmax(logits)[:, 1], tf.sigmoid(guesses)

    def outputs(weights: models.ModelWeights, tensors: learning.ClientTensors) -> DeviceOutputs:
      h, probability, guesses = compute(weights, tensors.x)
      return DeviceOutputs(h, probability, guesses, tensors.y[:, 0], tensors.y[:, 1:])

    return outputs

  def _keras_model(self, seed: int) -> tf.keras.Model:
    return models.build_mlp(
      (self.num_inputs,),
      2,
      self.config.hidden_units,
      seed=seeds.derive_seed(seed, seeds.Purpose.INITIALISATION),
      dropout_rate=_DROPOUT,
    )
