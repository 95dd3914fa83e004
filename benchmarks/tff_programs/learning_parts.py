"""Programs about what algorithms of `tff.learning` are made of."""

import collections
import tempfile

import numpy as np
import tensorflow as tf

from benchmarks.tff_programs import aggregators, linear, program
from tff_lg.compatibility import tff

OPTIMIZERS = program.Programs('tff.learning.optimizers')
MODELS = program.Programs('tff.learning.models')
METRICS = program.Programs('tff.learning.metrics')
TEMPLATES = program.Programs('tff.learning.templates')


def _steps(optimizer):
  """Takes two steps from 1 with gradients 1 and 3, as an algorithm's server takes them."""

  @tff.tensorflow.computation(np.float32, np.float32)
  def two_steps(weight, gradient):
    state = optimizer.initialize(tf.TensorSpec([]))
    state, weight = optimizer.next(state, weight, gradient)
    return optimizer.next(state, weight, 3 * gradient)[1]

  return lambda: two_steps(1.0, 1.0)


@OPTIMIZERS.add(1.0 - 0.1 * 1.0 - 0.1 * 3.0)
def sgd():
  return _steps(tff.learning.optimizers.build_sgdm(0.1))


@OPTIMIZERS.add(1.0 - 0.1 * 1.0 - 0.1 * (0.9 * 1.0 + 3.0))
def sgd_with_momentum():
  return _steps(tff.learning.optimizers.build_sgdm(0.1, momentum=0.9))


# 0.1 + 1 and 0.1 + 1 + 9 under the roots.
@OPTIMIZERS.add(1.0 - 0.1 * 1.0 / 1.1**0.5 - 0.1 * 3.0 / 10.1**0.5)
def adagrad():
  return _steps(tff.learning.optimizers.build_adagrad(0.1))


# Debiased, the first step is the sign; means of the second are 0.39 / 0.19 and 9.999 / 1.999.
_ADAM = 0.1 + 0.1 * (0.39 / 0.19) / (0.009999 / 0.001999) ** 0.5


@OPTIMIZERS.add(1.0 - _ADAM)
def adam():
  return _steps(tff.learning.optimizers.build_adam(0.1))


# Weights decay by 0.1 * 0.5 of what they are before each step.
@OPTIMIZERS.add((1.0 - 0.1 - 0.05) * 0.95 - (_ADAM - 0.1))
def adamw():
  return _steps(tff.learning.optimizers.build_adamw(0.1, weight_decay=0.5))


# 0.1 and 0.09 + 0.9 under the roots.
@OPTIMIZERS.add(1.0 - 0.1 / 0.1**0.5 - 0.3 / 0.99**0.5)
def rmsprop():
  return _steps(tff.learning.optimizers.build_rmsprop(0.1, decay=0.9))


def _yogi():
  weight, mean, variance = 1.0, 0.0, 0.0
  for step, gradient in enumerate((1.0, 3.0), start=1):
    mean = 0.9 * mean + 0.1 * gradient
    variance -= 0.001 * np.sign(variance - gradient**2) * gradient**2
    rate = 0.1 * (1 - 0.999**step) ** 0.5 / (1 - 0.9**step)
    weight -= rate * mean / (variance**0.5 + 0.001)
  return weight


@OPTIMIZERS.add(_yogi())
def yogi():
  optimizer = tff.learning.optimizers.build_yogi(0.1, initial_preconditioner_value=0.0)
  return _steps(optimizer)


# Shazeer and Stern 2018, algorithm 4 for a scalar, with the relative step size.
def _adafactor():
  weight, variance = 1.0, 0.0
  for step, gradient in enumerate((1.0, 3.0), start=1):
    decay = 1.0 - step**-0.8
    variance = decay * variance + (1 - decay) * (gradient**2 + 1e-30)
    update = gradient / variance**0.5
    update /= max(1.0, abs(update))
    weight -= max(1e-3, abs(weight)) * min(0.1, step**-0.5) * update
  return weight


@OPTIMIZERS.add(_adafactor())
def adafactor():
  return _steps(tff.learning.optimizers.build_adafactor(0.1))


@OPTIMIZERS.add(1.0 - 0.1 * 1.0 - 0.2 * 3.0)
def schedule_learning_rate():
  optimizer = tff.learning.optimizers.schedule_learning_rate(
    tff.learning.optimizers.build_sgdm(1.0),
    lambda round_num: 0.1 * (1.0 + tf.cast(round_num, tf.float32)),
  )
  return _steps(optimizer)


_BATCH = np.array([[1.0], [3.0]], np.float32), np.array([[2.0], [4.0]], np.float32)
# At weight 1: errors 1 and 1.
_ONE = [np.ones((1, 1), np.float32)]


def _evaluated(model):
  """Returns the loss and predictions of a functional model at weight 1."""

  @tff.tensorflow.computation(tff.types.tensorflow_to_type(linear.SPEC))
  def evaluate(batch):
    predictions = model.predict_on_batch((tuple(_ONE), ()), batch[0], False)
    return model.loss(output=predictions, label=batch[1]), predictions

  return lambda: evaluate(_BATCH)


@MODELS.add((1.0, [[1.0], [3.0]]))
def functional_model_from_keras():
  return _evaluated(linear.functional())


@MODELS.add((1.0, [[1.0], [3.0]]))
def functional_model():
  @tf.function
  def predict(model_weights, x, training):
    del training
    return tf.matmul(x, model_weights[0][0])

  @tf.function
  def loss(output, label, sample_weight=None):
    del sample_weight
    return tf.reduce_mean((output - label) ** 2)

  model = tff.learning.models.FunctionalModel(
    initial_weights=((np.zeros((1, 1), np.float32),), ()),
    predict_on_batch_fn=predict,
    loss_fn=loss,
    input_spec=linear.SPEC,
  )
  return _evaluated(model)


@MODELS.add((1.0, [[1.0], [3.0]]))
def save_and_load_functional_model():
  with tempfile.TemporaryDirectory() as folder:
    tff.learning.models.save_functional_model(linear.functional(), folder)
    return _evaluated(tff.learning.models.load_functional_model(folder))


def _forward(build):
  """Returns the loss, predictions and number of examples of a model with variables at weight 1."""

  @tff.tensorflow.computation(tff.types.tensorflow_to_type(linear.SPEC))
  def evaluate(batch):
    model = build()

    @tf.function
    def forward():
      model.trainable_variables[0].assign(_ONE[0])
      output = model.forward_pass(batch, training=False)
      return output.loss, output.predictions, output.num_examples

    return forward()

  return lambda: evaluate(_BATCH)


@MODELS.add((1.0, [[1.0], [3.0]], 2))
def from_keras_model():
  return _forward(linear.variable)


@MODELS.add((1.0, [[1.0], [3.0]], 2))
def model_from_functional():
  model = linear.functional()
  return _forward(lambda: tff.learning.models.model_from_functional(model))


@MODELS.add((1.0, [[1.0], [3.0]], 2))
def save_and_load():
  with tempfile.TemporaryDirectory() as folder:
    tff.learning.models.save(linear.variable(), folder)
    model = tff.learning.models.load(folder)

  def call():
    model.trainable_variables[0].assign(_ONE[0])
    output = model.forward_pass(_BATCH, training=False)
    return output.loss, output.predictions, output.num_examples

  return call


@MODELS.add([[2.0]])
def weights_type_from_model():
  weights_type = tff.learning.models.weights_type_from_model(linear.variable)
  computation = tff.tensorflow.computation(lambda w: w.trainable[0] * 2, weights_type)
  return lambda: computation(tff.learning.models.ModelWeights(_ONE, []))


_FINALIZERS = collections.OrderedDict(mean=lambda pair: pair[0] / pair[1], largest=lambda x: x)
_UNFINALIZED = tff.types.to_type(
  collections.OrderedDict(mean=[np.float32, np.float32], largest=np.float32)
)
_LOCAL = [
  collections.OrderedDict(mean=[6.0, 2.0], largest=1.0),
  collections.OrderedDict(mean=[4.0, 3.0], largest=5.0),
]


def _aggregated(aggregate):
  """Returns what a metrics aggregator makes of two clients' metrics."""
  aggregator = aggregate(_FINALIZERS, _UNFINALIZED)
  computation = tff.federated_computation(
    lambda metrics: aggregator(metrics), tff.FederatedType(_UNFINALIZED, tff.CLIENTS)
  )
  return lambda: computation(_LOCAL)


@METRICS.add({'mean': 2.0, 'largest': 6.0})
def sum_then_finalize():
  return _aggregated(tff.learning.metrics.sum_then_finalize)


@METRICS.add({'mean': 2.0, 'largest': 6.0}, atol=1e-2)
def secure_sum_then_finalize():
  call = _aggregated(
    lambda finalizers, metrics_type: tff.learning.metrics.secure_sum_then_finalize(
      finalizers,
      metrics_type,
      collections.OrderedDict(mean=[(0.0, 100.0), (0.0, 100.0)], largest=(0.0, 100.0)),
    )
  )

  def without_the_sums_own():
    metrics = call()
    return {name: metrics[name] for name in ('mean', 'largest')}

  return without_the_sums_own


@METRICS.add({'mean': [4 / 3, 3.0], 'largest': [1.0, 5.0]})
def finalize_then_sample():
  call = _aggregated(tff.learning.metrics.finalize_then_sample)
  return lambda: {name: np.sort(values) for name, values in call().items()}


def _twice(factory):
  """Returns this round's metrics and those of both rounds."""
  call = aggregators.result(factory.create(_UNFINALIZED), _LOCAL, rounds=2)

  def sums():
    return tuple({name: each[name] for name in ('mean', 'largest')} for each in call())

  return sums


@METRICS.add(({'mean': 2.0, 'largest': 6.0}, {'mean': 2.0, 'largest': 12.0}))
def sum_then_finalize_factory():
  return _twice(tff.learning.metrics.SumThenFinalizeFactory(_FINALIZERS))


@METRICS.add({'mean': [10.0, 5.0], 'largest': 6.0}, atol=1e-2)
def secure_sum_factory():
  ranges = tff.learning.metrics.create_default_secure_sum_quantization_ranges(
    _UNFINALIZED, use_auto_tuned_bounds_for_float_values=False, upper_bound=100.0
  )
  process = tff.learning.metrics.SecureSumFactory(ranges).create(_UNFINALIZED)
  return aggregators.result(process, _LOCAL)


@METRICS.add([1.0, 5.0])
def finalize_then_sample_factory():
  factory = tff.learning.metrics.FinalizeThenSampleFactory(sample_size=5)
  process = factory.create(_FINALIZERS, _UNFINALIZED)
  call = aggregators.result(process, _LOCAL)
  return lambda: np.sort(call()[0]['largest'])


@METRICS.add((2, 5))
def counters():
  @tff.tensorflow.computation(tff.SequenceType((np.float32, [None])))
  def count(data):
    batches = tff.learning.metrics.NumBatchesCounter()
    examples = tff.learning.metrics.NumExamplesCounter()

    @tf.function
    def update(total, batch):
      batches.update_state(batch, batch)
      examples.update_state(batch, batch)
      return total

    with tf.control_dependencies([data.reduce(0, update)]):
      return batches.result(), examples.result()

  data = tf.data.Dataset.from_tensor_slices(np.zeros(5, np.float32)).batch(3)
  return lambda: count(data)


@METRICS.add(2.5)
def keras_metric_finalizer():
  finalizer = tff.learning.metrics.create_keras_metric_finalizer(tf.keras.metrics.Mean())
  computation = tff.tensorflow.computation(finalizer, [np.float32, np.float32])
  return lambda: computation([10.0, 4.0])


@METRICS.add({'mean': 2.5})
def functional_metric_fns():
  initialize, update, finalize = tff.learning.metrics.create_functional_metric_fns(
    collections.OrderedDict(mean=tf.keras.metrics.MeanSquaredError)
  )

  @tff.tensorflow.computation(np.float32)
  def computation(prediction):
    output = tff.learning.models.BatchOutput(predictions=tf.stack([prediction, prediction]))
    return finalize(update(initialize(), tf.constant([1.0, 2.0]), output))

  return lambda: computation(3.0)


def _composed(client_work):
  """Composes FedAvg from its parts; returns the weight after a round."""
  weights_type = tff.learning.models.weights_type_from_model(linear.variable)
  process = tff.learning.templates.compose_learning_process(
    tff.tensorflow.computation(lambda: tff.learning.models.ModelWeights([tf.zeros((1, 1))], [])),
    tff.learning.templates.build_broadcast_process(weights_type),
    client_work,
    tff.aggregators.MeanFactory().create(weights_type.trainable, tff.TensorType(np.float32)),
    tff.learning.templates.build_apply_optimizer_finalizer(
      tff.learning.optimizers.build_sgdm(0.5), weights_type
    ),
  )
  return linear.trained(process)


@TEMPLATES.add(linear.WEIGHTED / 2)
def compose_learning_process():
  return _composed(
    tff.learning.templates.build_model_delta_client_work(
      linear.variable,
      tff.learning.optimizers.build_sgdm(linear.RATE),
      tff.learning.ClientWeighting.NUM_EXAMPLES,
    )
  )


@TEMPLATES.add(0.2)
def set_model_weights():
  process = tff.learning.algorithms.build_weighted_fed_avg(
    linear.functional(), tff.learning.optimizers.build_sgdm(linear.RATE)
  )

  def call():
    weights = tff.learning.models.ModelWeights((np.full((1, 1), 0.2, np.float32),), ())
    return linear.weight(process, process.set_model_weights(process.initialize(), weights))

  return call


@TEMPLATES.add((False, True))
def reject_non_finite_update():
  @tff.tensorflow.computation(np.float32)
  def computation(update):
    return tff.learning.templates.reject_non_finite_update((), [update])[0]

  return lambda: (computation(1.0), computation(np.inf))
