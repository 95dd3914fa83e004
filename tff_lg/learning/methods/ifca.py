"""IFCA or HypCluster: several global models, of which each client takes the one that fits it best.

Ghosh et al. 2020, Algorithm 1, with model averaging; Mansour et al. 2020, HypCluster.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries, learning, option_check
from tff_lg.learning.methods import method, parts, registry, server_steps

if TYPE_CHECKING:
  import tensorflow as tf

  from tff_lg import models

_NAME = 'ifca'


@attrs.frozen
class Options:
  """Options of IFCA; with one cluster it is FedAvg."""

  num_clusters: int = entries.option(
    2, 'Number of global models; each client takes one', check=option_check.POSITIVE
  )


def _build(
  model: models.LocalGlobalModel, settings: learning.ProcessSettings, options: Options
) -> learning.LocalGlobalProcess:
  """Builds IFCA: clients train the model that fits them best; the server averages each cluster.

  In the first phase a client receives all models and estimates its cluster by the loss over all
  of its training examples. Among equally good models, as all are in the beginning, it takes
  one at random. The second phase trains this model. A client sends one model and the number of its
  cluster. Here both are one vector with zeros for the other clusters. The mean over clients,
  divided by the cluster's share of them, is then the mean of the cluster. A cluster without clients
  keeps its model.

  Raises:
    ValueError: the settings' batches are not tensors.
  """
  import numpy as np  # They take seconds to import.
  import tensorflow as tf

  from tff_lg.compatibility import tff

  k, network = options.num_clusters, model.with_all_global()
  n = len(network.weight_names)
  pairs = list(zip(network.weight_names, network.initial_weights, strict=True))
  all_models = network.with_extra_weights(
    {f'cluster_{j}/{name}': weight for j in range(1, k) for name, weight in pairs}
    | {'clusters/shares': np.zeros([k], np.float32)},
    are_global=True,
  ).with_extra_weights({'clusters/chosen': np.eye(1, k, dtype=np.float32)[0]})
  num_weights = len(all_models.weight_names)
  num_models_weights = n * k

  def choose(
    model: models.LocalGlobalModel, weights: tuple, received: tuple, x: tf.Tensor, y: tf.Tensor
  ) -> tuple:
    del received
    losses = tf.stack(
      [
        network.functional.loss(network.predict(of_one, x, training=False), y)
        for of_one in _models(weights[:num_models_weights], k)
      ]
    )
    losses = tf.where(tf.math.is_finite(losses), losses, losses.dtype.max)
    drawn = tf.random.stateless_uniform([k], model.dropout_key)
    best = tf.argmax(tf.where(losses <= tf.reduce_min(losses), drawn, -1.0))
    return (*weights[:-1], tf.one_hot(best, k))

  def of_chosen(
    model: models.LocalGlobalModel, weights: tuple, received: tuple, x: tf.Tensor, y: tf.Tensor
  ) -> tf.Tensor:
    of_step, chosen = network.with_dropout_key(model.dropout_key), weights[-1]
    mine, theirs = (_chosen(each[:num_models_weights], chosen) for each in (weights, received))
    return settings.objective(of_step, mine, theirs, x, y)

  def of_first(
    model: models.LocalGlobalModel, weights: tuple, received: tuple, x: tf.Tensor, y: tf.Tensor
  ) -> tf.Tensor:
    theirs = _chosen(received[:num_models_weights], weights[-1])
    return settings.objective(
      network.with_dropout_key(model.dropout_key), weights[:n], theirs, x, y
    )

  def swap(weights: Sequence) -> tuple:
    """Puts the chosen model in the first one's place, and that one in its; twice is nothing."""
    *_, shares, chosen = weights
    first, *others = _models(weights[:num_models_weights], k)
    swapped = [_chosen(weights[:num_models_weights], chosen)]
    for j, other in enumerate(others, 1):
      swapped.append(_mix(chosen[j], first, other))
    return (*(weight for of_one in swapped for weight in of_one), shares, chosen)

  def finish(trained: learning.Trained) -> Sequence:
    *others, shares, chosen = swap(trained.weights)
    return (*others, shares - chosen, chosen)

  def combine(global_weights: Sequence, mean_update: Sequence) -> tuple[Sequence, Sequence]:
    del global_weights
    *updates, shares = mean_update
    of_clusters = [
      tf.math.divide_no_nan(update, shares[j])
      for j, of_one in enumerate(_models(updates, k))
      for update in of_one
    ]
    return of_clusters, [tf.zeros_like(shares)]

  choosing = learning.Phase(
    (False,) * num_weights,
    batches=dataclasses.replace(learning.with_epochs(settings.batches, 1), batch_size=None),
    objective=of_chosen,
    before_step=choose,
  )
  training = learning.Phase(
    (True,) * n + (False,) * (num_weights - n), objective=of_first, begin=swap, finish=finish
  )
  process = learning.build_local_global_process(
    all_models,
    dataclasses.replace(
      settings,
      phases=(choosing, training),
      newcomer_phases=(choosing,),
      server_optimizer=server_steps.combining(
        settings.server_optimizer, num_models_weights, combine
      ),
    ),
  )
  # In the numbers of clusters, which nobody sends down, and in zeros for other models.
  *of_all, _ = process.download_type[0]
  return dataclasses.replace(
    process,
    download_type=tff.to_type((tuple(of_all), process.download_type[1])),
    upload_type=tff.to_type(((*of_all[:n], tff.TensorType(np.float32)), process.upload_type[1])),
  )


def _models(weights: Sequence, k: int) -> list[tuple]:
  """Returns the weights of each of k models."""
  n = len(weights) // k
  return [tuple(weights[j * n : (j + 1) * n]) for j in range(k)]


def _mix(share: Any, one: Sequence, other: Sequence) -> tuple:
  """Returns one where the share is 1, other where it is 0, to the bit."""
  return tuple(share * a + (1 - share) * b for a, b in zip(one, other, strict=True))


def _chosen(weights: Sequence, chosen: Any) -> tuple:
  """Returns the weights of the model whose number is not 0 in `chosen`, [k]."""
  result, *others = _models(weights, chosen.shape[0])
  for j, other in enumerate(others, 1):
    result = _mix(chosen[j], other, result)
  return result


def _of_cluster(model: models.LocalGlobalModel, global_weights: Sequence, local: Sequence) -> tuple:
  """Returns what a client predicts with: the newest model of the cluster that it chose last."""
  del model
  return _chosen(global_weights[:-1], local[0])


def _in_all_clusters(model: models.LocalGlobalModel, weights: Sequence) -> tuple:
  """Returns the weights in which all models begin with the network that was trained."""
  *_, shares, chosen = model.extra_weights
  return (*tuple(weights) * len(chosen), shares, chosen)


registry.register(
  method.Method(
    name=_NAME,
    label='IFCA',
    colour='purple',
    dashes=(0, (1, 1.2)),
    sent='everything, in `--num_clusters` models, of which a client trains one',
    kept='the number of its cluster',
    source='Ghosh et al. 2020, [arXiv:2006.04088](https://arxiv.org/abs/2006.04088); HypCluster of '
    'Mansour et al. 2020, [arXiv:2002.10619](https://arxiv.org/abs/2002.10619)',
    build=_build,
    options=Options,
    parts=parts.Parts(
      merge=_of_cluster,
      warm_start=_in_all_clusters,
      newcomer=lambda model, global_weights, start: (*global_weights, model.extra_weights[-1]),
    ),
    needs_mean=True,
    fits_batch_norm=False,
  )
)
