"""Own models of devices for `fair`: each device trains alone, until it no longer gets better.

A tenth of a device's training rows is held out to choose. The loss on these rows of all devices
together chooses one learning rate, or C of logistic regression. Each device's own loss chooses its
number of epochs. Then each device trains again, on all of its rows, so that every method has the
same.
"""

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import threadpoolctl
from absl import logging

from tff_lg import adaptation, grid_search, learning, models, seeds, simple_models
from tff_lg.compatibility import tff
from tff_lg.config import own_models
from tff_lg.config.option import resolved
from tff_lg.data import splits
from tff_lg.learning import objectives

_VALIDATION_FRACTION = 0.1
_NUM_CLASSES = 2

Devices = Sequence[learning.ClientTensors]


class OwnNetworks(NamedTuple):
  """Devices' own networks.

  Attributes:
    weights: of each device.
    epochs: int64 [num_devices], epochs trained.
    was_stopped: bool [num_devices], whether patience ended the search for them, and not the cap.
    is_finite: bool [num_devices]; a device whose training diverged keeps its initial weights.
    search: the learning rates tried, and the best.
  """

  weights: list[models.ModelWeights]
  epochs: np.ndarray
  was_stopped: np.ndarray
  is_finite: np.ndarray
  search: grid_search.GridSearch


class NetworkTrainer:
  """Trains devices' own networks; what it builds serves all seeds and partitions."""

  def __init__(
    self,
    model: models.LocalGlobalModel,
    objective: objectives.Objective,
    optimizer: Callable[[float], tff.learning.optimizers.Optimizer],
    batches: learning.TensorBatches,
    options: own_models.OwnModelOptions,
    learning_rate: float,
  ) -> None:
    """Builds nothing yet.

    Args:
      model: the network; all of its weights train, extra ones too.
      objective: what a device minimises.
      optimizer: of a learning rate.
      batches: of one epoch.
      options: epochs at most, patience and learning rates; none of the first two is None.
      learning_rate: that the grid is around where the options name none.
    """
    self._model, self._objective, self._optimizer = model, objective, optimizer
    self._batches, self._options, self._learning_rate = batches, options, learning_rate
    self._process = functools.cache(self._build)

  def train(self, initial: models.ModelWeights, train: Devices, seed: int) -> OwnNetworks:
    """Trains each device's network alone.

    Args:
      initial: the weights that each starts from.
      train: rows of each device.
      seed: of the held-out rows and the order of the others.

    Returns:
      The networks.
    """
    parts, validation = hold_out(train, seed)
    sizes = np.array([len(tensors.y) for tensors in validation])
    chosen: dict[float, list[adaptation.AdaptationOutput]] = {}

    def score(rate: float) -> tuple[float]:
      process = self._process(rate)
      chosen[rate] = process.adapt(*_start(initial, parts), _seeded(parts, seed), validation)
      losses = [of.validation['loss'][process.epochs.index(of.best_epoch)] for of in chosen[rate]]
      return (-float(np.average(losses, weights=sizes)),)

    rates = self._options.local_only_learning_rate
    search = grid_search.search(
      rates or grid_search.grid_around(self._learning_rate), score, grows=rates is None
    )
    _tell('learning rates', search)
    best = chosen[search.best]
    trained = self._process(search.best).adapt_to_epoch(
      *_start(initial, train), _seeded(train, seed), [of.best_epoch for of in best]
    )
    return OwnNetworks(
      weights=[of.weights for of in trained],
      epochs=np.array([of.best_epoch for of in best], np.int64),
      was_stopped=np.array([of.num_epochs < self._options.local_only_epochs for of in best]),
      is_finite=np.array([of.is_finite for of in trained], bool),
      search=search,
    )

  def _build(self, rate: float) -> adaptation.AdaptationProcess:
    return adaptation.build_adaptation_process(
      self._model,
      adaptation.Adaptation(objective=lambda measured: self._objective, trains_extra_weights=True),
      self._optimizer(rate),
      self._batches,
      resolved(self._options.local_only_epochs),
      selection_metric='loss',
      patience=self._options.local_only_patience,
    )


def fit_simple(
  name: str, train: Devices, seed: int
) -> tuple[list[simple_models.Predict], grid_search.GridSearch]:
  """Fits a simple model for each device.

  Args:
    name: of the model, in `simple_models.SIMPLE_MODELS`.
    train: rows of each device; the first column of their labels is predicted.
    seed: of the held-out rows, and of what is random in fitting.

  Returns:
    Each device's model, and the values of the hyper-parameter tried.
  """
  model = simple_models.SIMPLE_MODELS[name]
  fit_seed = seeds.derive_seed(seed, seeds.Purpose.OWN_MODELS, 1)
  parts, validation = hold_out(train, seed)

  def fit(devices: Devices, value: float) -> list[simple_models.Predict]:
    # At a few thousand rows, threads that wait for each other cost more than they give.
    with threadpoolctl.threadpool_limits(1):
      return [
        simple_models.fit(model, value, of.x, of.y[:, 0], _NUM_CLASSES, fit_seed) for of in devices
      ]

  def score(value: float) -> tuple[float]:
    of_devices = [
      simple_models.log_likelihoods(predict(of.x), of.y[:, 0])
      for predict, of in zip(fit(parts, value), validation, strict=True)
    ]
    return (float(np.concatenate(of_devices).mean()),)

  search = grid_search.search(model.values, score, grows=True)
  _tell(f'{name}, {model.hyperparameter}', search)
  return fit(train, search.best), search


def hold_out(train: Devices, seed: int) -> tuple[list[learning.ClientTensors], ...]:
  """Splits each device's rows in those it trains on, and a tenth to choose by, at least one.

  Both have the classes in the device's proportions.
  """
  rng = np.random.default_rng(seeds.derive_seed(seed, seeds.Purpose.OWN_MODELS))
  split = [splits.hold_out(tensors.y[:, 0], _VALIDATION_FRACTION, rng) for tensors in train]
  return tuple(
    [
      tensors._replace(x=tensors.x[indices[number]], y=tensors.y[indices[number]])
      for tensors, indices in zip(train, split, strict=True)
    ]
    for number in range(2)
  )


def _start(
  initial: models.ModelWeights, devices: Devices
) -> tuple[list[models.ModelWeights], list[tuple]]:
  return [initial] * len(devices), [()] * len(devices)


def _seeded(devices: Devices, seed: int) -> list[learning.ClientTensors]:
  return [
    tensors._replace(seed=seeds.tensor_seed(seed, seeds.Purpose.OWN_MODELS, 2, device))
    for device, tensors in enumerate(devices)
  ]


def _tell(what: str, search: grid_search.GridSearch) -> None:
  logging.info('Own models (%s): tried %s.', what, search.describe())
  if search.improves_outwards:
    logging.warning('Own models (%s): the best, %g, is at an end.', what, search.best)
