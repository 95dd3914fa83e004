"""Programs about the algorithms of `tff.learning`."""

import collections

import numpy as np
import tensorflow as tf

from benchmarks.tff_programs import linear, program
from tff_lg.compatibility import tff

ALGORITHMS = program.Programs('tff.learning.algorithms')

_SGD = tff.learning.optimizers.build_sgdm(linear.RATE)


@ALGORITHMS.add(linear.WEIGHTED)
def weighted_fed_avg():
  return linear.trained(
    tff.learning.algorithms.build_weighted_fed_avg(linear.functional(), client_optimizer_fn=_SGD)
  )


@ALGORITHMS.add(linear.WEIGHTED)
def weighted_fed_avg_with_variables():
  return linear.trained(
    tff.learning.algorithms.build_weighted_fed_avg(linear.variable, client_optimizer_fn=_SGD)
  )


@ALGORITHMS.add(linear.UNWEIGHTED)
def weighted_fed_avg_with_uniform_weights():
  return linear.trained(
    tff.learning.algorithms.build_weighted_fed_avg(
      linear.functional(), _SGD, client_weighting=tff.learning.ClientWeighting.UNIFORM
    )
  )


@ALGORITHMS.add(linear.WEIGHTED)
def weighted_fed_avg_by_an_iterator():
  return linear.trained(
    tff.learning.algorithms.build_weighted_fed_avg(
      linear.functional(),
      _SGD,
      loop_implementation=tff.learning.LoopImplementation.DATASET_ITERATOR,
    )
  )


@ALGORITHMS.add(linear.UNWEIGHTED)
def unweighted_fed_avg():
  return linear.trained(tff.learning.algorithms.build_unweighted_fed_avg(linear.functional(), _SGD))


# Rate 0 in the second round.
@ALGORITHMS.add(linear.WEIGHTED)
def weighted_fed_avg_with_optimizer_schedule():
  process = tff.learning.algorithms.build_weighted_fed_avg_with_optimizer_schedule(
    linear.functional(),
    client_learning_rate_fn=lambda round_num: tf.cond(round_num < 1, lambda: 0.1, lambda: 0.0),
    client_optimizer_fn=tff.learning.optimizers.build_sgdm,
  )
  return linear.trained(process, rounds=2)


# TFF's proximal term has the wrong sign: it drives the first client's second step away from where
# the round began, by 0.1 * 1.0 * 0.4.
@ALGORITHMS.add((2 * (1.68 + 0.04) + 0.2) / 3)
def weighted_fed_prox():
  return linear.trained(
    tff.learning.algorithms.build_weighted_fed_prox(linear.functional(), 1.0, _SGD)
  )


@ALGORITHMS.add((1.68 + 0.04 + 0.2) / 2)
def unweighted_fed_prox():
  return linear.trained(
    tff.learning.algorithms.build_unweighted_fed_prox(linear.functional(), 1.0, _SGD)
  )


@ALGORITHMS.add(-0.1 * linear.GRADIENT)
def fed_sgd():
  return linear.trained(
    tff.learning.algorithms.build_fed_sgd(linear.functional(), server_optimizer_fn=_SGD)
  )


def _mime_lite(rounds, momentum):
  """Returns the weight after some rounds, weighted by examples, in NumPy."""
  server, accumulated = 0.0, 0.0
  for _ in range(rounds):
    ends, weights, gradients = [], [], []
    for examples in linear.EXAMPLES:
      local = server
      for x, y in examples:
        local -= linear.RATE * (momentum * accumulated + 2 * x * (x * local - y))
        gradients.append(2 * x * (x * server - y))
      ends.append(local)
      weights.append(len(examples))
    server = np.average(ends, weights=weights)
    accumulated = momentum * accumulated + np.mean(gradients)
  return server


@ALGORITHMS.add(_mime_lite(2, 0.5), atol=1e-4)
def weighted_mime_lite():
  optimizer = tff.learning.optimizers.build_sgdm(linear.RATE, momentum=0.5)
  process = tff.learning.algorithms.build_weighted_mime_lite(linear.functional(), optimizer)
  return linear.trained(process, rounds=2)


@ALGORITHMS.add(linear.UNWEIGHTED)
def unweighted_mime_lite():
  optimizer = tff.learning.optimizers.build_sgdm(linear.RATE, momentum=0.5)
  return linear.trained(
    tff.learning.algorithms.build_unweighted_mime_lite(linear.functional(), optimizer)
  )


@ALGORITHMS.add(_mime_lite(1, 0.5))
def mime_lite_with_optimizer_schedule():
  optimizer = tff.learning.optimizers.build_sgdm(1.0, momentum=0.5)
  process = tff.learning.algorithms.build_mime_lite_with_optimizer_schedule(
    linear.functional(),
    learning_rate_fn=lambda round_num: tf.where(round_num < 1, 0.1, 0.0),
    base_optimizer=optimizer,
  )
  return linear.trained(process, rounds=2)


@ALGORITHMS.add((linear.LOSS, linear.LOSS, 3))
def fed_eval():
  process = tff.learning.algorithms.build_fed_eval(linear.variable)
  data = linear.client_data()

  def call():
    metrics = process.next(process.initialize(), data).metrics['client_work']['eval']
    metrics = metrics['current_round_metrics']
    return metrics['loss'], metrics['error'], metrics['num_examples']

  return call


# Each centroid counts as one point more: (0 + 1 + 2) / 3 and (10 + 12) / 2.
@ALGORITHMS.add([[1.0], [11.0]])
def fed_kmeans():
  process = tff.learning.algorithms.build_fed_kmeans(2, (1,), random_seed=(1, 2))
  data = [tf.data.Dataset.from_tensor_slices(np.float32(x)) for x in ([[1], [2]], [[12]])]

  def call():
    centroids = np.array([[0.0], [10.0]], np.float32)
    state = process.set_model_weights(process.initialize(), centroids)
    return process.get_model_weights(process.next(state, data).state)

  return call


def reconstruction():
  """Returns the model y = v w x of which v is local, both 1."""
  layers = [
    tf.keras.layers.Dense(1, use_bias=False, kernel_initializer='ones', input_shape=(1,))
    for _ in range(2)
  ]
  return tff.learning.models.ReconstructionModel.from_keras_model_and_layers(
    keras_model=tf.keras.Sequential(layers),
    global_layers=layers[:1],
    local_layers=layers[1:],
    input_spec=linear.SPEC,
  )


def _half(data):
  """Rebuilds the local weight on the first batch; trains or evaluates on the last."""
  return data.take(1), data.skip(1)


# The first client's local weight goes from 1 to 1 + 0.1 * 2 = 1.2, then its global weight by
# 0.1 * 2 * 2 * 1.2 * (4 - 2.4) = 0.768. The other client has no second batch, so no weight.
@ALGORITHMS.add(1.768)
def fed_recon():
  process = tff.learning.algorithms.build_fed_recon(
    reconstruction,
    loss_fn=tf.keras.losses.MeanSquaredError,
    client_optimizer_fn=_SGD,
    reconstruction_optimizer_fn=_SGD,
    dataset_split_fn=_half,
  )
  return linear.trained(process)


# The first client predicts 2.4 for 4.
@ALGORITHMS.add(1.6**2)
def fed_recon_eval():
  process = tff.learning.algorithms.build_fed_recon_eval(
    reconstruction,
    loss_fn=tf.keras.losses.MeanSquaredError,
    reconstruction_optimizer_fn=_SGD,
    dataset_split_fn=_half,
  )
  data = linear.client_data()

  def call():
    metrics = process.next(process.initialize(), data).metrics['client_work']['eval']
    return metrics['current_round_metrics']['loss']

  return call


def _fine_tune(model, train_data, test_data, context=None):
  """Takes one step on each batch, then returns the weight and what it predicts."""
  del context
  kernel = model.trainable_variables[0]

  def step(count, batch):
    with tf.GradientTape() as tape:
      loss = model.forward_pass(batch).loss
    kernel.assign_sub(linear.RATE * tape.gradient(loss, kernel))
    return count + 1

  @tf.function
  def train_and_evaluate():
    count = train_data.reduce(0, step)
    error = test_data.reduce(0.0, lambda total, batch: total + model.forward_pass(batch).loss)
    return collections.OrderedDict(batches=count, weight=tf.squeeze(kernel), error=error)

  return train_and_evaluate()


# 0.4 and 1.68 from the first client, 0.2 from the second; the order is TFF's.
@ALGORITHMS.add({'batches': [1, 2], 'weight': [0.2, 1.68], 'error': [0.64, 0.5120]})
def personalization_eval_computation():
  computation = tff.learning.algorithms.build_personalization_eval_computation(
    linear.variable,
    collections.OrderedDict(tuned=lambda: _fine_tune),
    baseline_evaluate_fn=lambda model, data: collections.OrderedDict(n=data.reduce(0, _count)),
  )
  weights = tff.learning.models.ModelWeights([np.zeros((1, 1), np.float32)], [])
  data = [
    collections.OrderedDict(train_data=batches.unbatch(), test_data=batches.unbatch())
    for batches in linear.client_data()
  ]

  def call():
    tuned = computation(weights, data)['tuned']
    order = np.argsort(tuned['batches'])
    return {name: np.asarray(values)[order] for name, values in tuned.items()}

  return call


def _count(number, _):
  return number + 1
