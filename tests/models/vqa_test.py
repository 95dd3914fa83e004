"""Tests of the network of two channels, and of the official accuracy of VQA."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import learning, models, simulation
from tff_lg.compatibility import tff


def setUpModule():
  simulation.set_execution_context()


def _build(**changes):
  sizes = {'embedding_units': 4, 'lstm_units': (5, 6), 'hidden_units': (7, 8, 9)}
  return models.build_vqa(3, 2, 11, 4, **{**sizes, **changes})


def _by_leaving_one_out(answers, predicted):
  """Computes the rule as told: min(#others who say so / 3, 1), averaged over who is left out."""
  credits = []
  for left_out in range(len(answers)):
    others = [answer for i, answer in enumerate(answers) if i != left_out]
    credits.append(min(others.count(predicted) / 3, 1))
  return sum(credits) / len(credits)


class VqaAccuracyTest(parameterized.TestCase):
  @parameterized.parameters((0, 0), (1, 0.3), (2, 0.6), (3, 0.9), (4, 1), (10, 1))
  def test_by_hand(self, count, accuracy):
    answers = [2] * count + [-1] * (10 - count)
    self.assertAlmostEqual(_by_leaving_one_out(answers, 2), accuracy)
    metric = models.VqaAccuracy()
    metric.update_state(tf.constant([[1, *answers]]), tf.constant([[0.0, 0.5, 0.9]]))
    self.assertAlmostEqual(float(metric.result()), accuracy, places=6)

  def test_mean_over_questions(self):
    rng = np.random.default_rng(0)
    answers = rng.integers(-1, 3, (20, 10)).astype(np.int32)
    logits = rng.normal(size=(20, 3)).astype(np.float32)
    wanted = [
      _by_leaving_one_out(a, p) for a, p in zip(answers.tolist(), logits.argmax(1), strict=True)
    ]
    metric = models.VqaAccuracy()
    y = np.column_stack([np.zeros(20, np.int32), answers])
    metric.update_state(y[:7], logits[:7])
    metric.update_state(y[7:], logits[7:])
    self.assertAlmostEqual(float(metric.result()), np.mean(wanted), places=6)


class BuildVqaTest(parameterized.TestCase):
  def test_four_layers_of_the_published_sizes(self):
    network = models.build_vqa(1000, 2, 11, 1000, hidden_units=(1000, 1024, 1000), channel_layers=1)
    sizes = {layer.name: layer.count_params() for layer in network.layers}
    self.assertNotIn('picture_1', sizes)
    layers = ('picture_2', 'question_2', 'fused', 'output')
    self.assertEqual(sum(sizes[name] for name in layers), 5_149_200)
    with self.assertRaisesRegex(ValueError, 'channel_layers is 3, expected 1 or 2'):
      _build(channel_layers=3)

  def test_split(self):
    model = models.from_keras_vqa(_build()).with_global_layers(models.VQA_GLOBAL_LAYERS)
    sizes = {}
    for name, weight in zip(model.weight_names, model.initial_weights, strict=True):
      layer = name.split('/')[0]
      sizes[layer] = sizes.get(layer, 0) + weight.size
    self.assertEqual(
      sizes,
      {
        'picture_encoder': 3 * 7 + 7,
        'embedding': 11 * 4,
        'lstm_1': 4 * 5 * (4 + 5 + 1),
        'lstm_2': 4 * 6 * (5 + 6 + 1),
        'picture_1': 7 * 7 + 7,
        'picture_2': 7 * 8 + 8,
        'question_1': 2 * (5 + 6) * 7 + 7,
        'question_2': 7 * 8 + 8,
        'fused': 8 * 9 + 9,
        'output': 9 * 4 + 4,
      },
    )
    num_global, _ = model.split(model.weight_names)
    self.assertEqual({name.split('/')[0] for name in num_global}, set(models.VQA_GLOBAL_LAYERS))

  def test_output_by_hand(self):
    network = _build()
    x = np.array([[0.1, -0.2, 0.3, 4, 5]], np.float32)
    layer = {one.name: one for one in network.layers}

    def dense(name, inputs, activation=np.tanh):
      kernel, bias = layer[name].get_weights()
      return activation(inputs @ kernel + bias)

    def lstm(name, inputs):
      kernel, recurrent, bias = layer[name].get_weights()
      h = c = np.zeros([1, recurrent.shape[0]])
      states = []
      for step in inputs:
        i, f, g, o = np.split(step @ kernel + h @ recurrent + bias, 4, axis=1)
        i, f, o = (1 / (1 + np.exp(-gate)) for gate in (i, f, o))
        c = f * c + i * np.tanh(g)
        h = o * np.tanh(c)
        states.append(h)
      return states, [h, c]

    (embedded,) = layer['embedding'].get_weights()
    states, first = lstm('lstm_1', [embedded[[4]], embedded[[5]]])
    _, second = lstm('lstm_2', states)
    question = np.concatenate([*first, *second], axis=1)
    question = dense('question_2', dense('question_1', question))
    picture = dense('picture_encoder', x[:, :3])
    picture = dense('picture_2', dense('picture_1', picture))
    hidden = dense('fused', picture * question)
    wanted = dense('output', hidden, lambda logits: logits)
    np.testing.assert_allclose(network(x), wanted, atol=1e-5)

  def test_padding_changes_nothing(self):
    shorter, longer = (
      _build(),
      models.build_vqa(3, 4, 11, 4, embedding_units=4, lstm_units=(5, 6), hidden_units=(7, 8, 9)),
    )
    x = np.array([[0.1, -0.2, 0.3, 4, 5]], np.float32)
    np.testing.assert_allclose(shorter(x), longer(np.pad(x, [(0, 0), (0, 2)])), atol=1e-6)

  def test_seed(self):
    one, same, other = (_build(seed=seed).get_weights() for seed in (0, 0, 1))
    for a, b, c in zip(one, same, other, strict=True):
      np.testing.assert_array_equal(a, b)
      self.assertTrue(not a.any() or a.ndim == 1 or not np.array_equal(a, c))

  @parameterized.parameters({'lstm_units': ()}, {'hidden_units': (1, 2)})
  def test_refuses(self, **changes):
    with self.assertRaisesRegex(ValueError, 'expected at least one layer, and three numbers'):
      _build(**changes)


class ProcessTest(absltest.TestCase):
  def test_learns_the_label_and_is_measured_by_the_answers(self):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=40).astype(np.int32)
    x = np.column_stack([np.eye(3)[y], rng.integers(1, 11, (40, 2))]).astype(np.float32)
    # Two of ten annotators say the label, one what nobody knows, the others class 3.
    answers = np.column_stack([y, y, np.full(40, -1), np.full((40, 7), 3)])
    client = learning.ClientTensors(x, np.column_stack([y, answers]).astype(np.int32))
    process = learning.METHODS['lg_fedavg'].build_process(
      models.from_keras_vqa(_build()),
      testing.settings(batches=learning.TensorBatches(10, num_epochs=40), learning_rate=0.3),
      global_layers=models.VQA_GLOBAL_LAYERS,
    )
    self.assertIsInstance(process.next, tff.Computation)
    state = process.initialize(process.model.initial_weights)
    states = [process.initialize_client(process.model.initial_weights)]
    for _ in range(2):
      state, states, _ = process.next(state, states, [client])[:3]
    (metrics,) = process.evaluate(state, states, [client])
    self.assertLess(metrics['loss'], 0.1)
    self.assertAlmostEqual(float(metrics['accuracy']), 0.6, places=5)
    self.assertEqual(metrics['num_examples'], 40)


if __name__ == '__main__':
  absltest.main()
