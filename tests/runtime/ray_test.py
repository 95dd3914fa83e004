"""Ray actors give the bits of the local runtime, also if they die; one Ray for all tests."""

import os
import signal
from unittest import mock

import cachetools
import numpy as np
import tensorflow as tf
import tree
from absl.testing import absltest, parameterized

from pipelines import train
from tests.learning import testing as learning_testing
from tests.runtime import testing, two_stages
from tff_lg import aggregators, learning, runtime
from tff_lg.compatibility import tff
from tff_lg.runtime import actor_calls, ray_cluster, remote

_INTS = tff.FederatedType(np.int32, tff.CLIENTS)


def setUpModule():
  global _ACTORS, _END, _LOCAL
  _LOCAL = runtime.create_local_execution_context(devices='cpu')
  options = ray_cluster.RayOptions(ray_actors=3, ray_actor_cpus=0.2)
  _ACTORS, _END = ray_cluster.start_actors(options)


def tearDownModule():
  _END()


def _pid(actor):
  import ray

  return ray.get(actor.__ray_call__.remote(lambda worker: os.getpid()))


def _clients():
  rng = np.random.default_rng(0)
  return [
    learning.ClientTensors(
      tf.constant(rng.random((n, 4), np.float32)),
      tf.constant(rng.integers(0, 3, n).astype(np.int32)),
    )
    for n in 3 * (5, 8, 0, 9, 4, 7, 20)
  ]


def _train(context, process, model, data, rounds=2):
  """Returns the last round's output, and an evaluation."""
  with testing.installed(context):
    server_state = process.initialize(model.initial_weights)
    client_states = [process.initialize_client(model.initial_weights)] * len(data)
    for _ in range(rounds):
      output = process.next(server_state, client_states, data)
      server_state, client_states = output.server_state, output.client_states
    return output, process.evaluate(server_state, client_states, data)


def _assert_same_bits(ours, theirs):
  tree.assert_same_structure(ours, theirs)
  for mine, other in zip(tree.flatten(ours), tree.flatten(theirs), strict=True):
    np.testing.assert_array_equal(mine, other)


class SameBitsTest(parameterized.TestCase):
  @parameterized.named_parameters(
    ('lg_fedavg', learning_testing.classifier, tff.aggregators.MeanFactory(no_nan_division=True)),
    ('median', learning_testing.classifier, aggregators.median()),
    ('dropout', learning_testing.gated_classifier, aggregators.median()),
  )
  def test_any_number_of_actors(self, build_model, aggregator):
    model = build_model().with_global_layers(('output',))
    process = learning.build_local_global_process(
      model,
      learning_testing.settings(batches=learning.TensorBatches(3, 2), aggregator=aggregator),
    )
    data = _clients()
    expected = _train(_LOCAL, process, model, data)
    for num_actors in (1, 2, 3):
      found = _train(runtime.RayExecutionContext(_ACTORS[:num_actors]), process, model, data)
      _assert_same_bits(found, expected)

  @parameterized.parameters(*learning.METHODS)
  def test_every_method(self, method):
    process = learning_testing.method_process(method, batches=learning.TensorBatches(3, 2))
    data = _clients()[:4]
    expected = _train(_LOCAL, process, process.model, data)
    found = _train(runtime.RayExecutionContext(_ACTORS[:2]), process, process.model, data)
    _assert_same_bits(found, expected)

  @parameterized.parameters((1 << 20, 3), (200_000, 1), (1000, 0))
  def test_actor_keeps_large_tensors_that_come_again(self, kept_bytes, num_kept):
    import ray

    def limit(worker, num_bytes):
      worker._tensors = cachetools.LRUCache(num_bytes, getsizeof=worker._tensors.getsizeof)

    ray.get(_ACTORS[0].__ray_call__.remote(limit, kept_bytes))
    self.addCleanup(lambda: ray.get(_ACTORS[0].__ray_call__.remote(limit, 1 << 30)))
    model = learning_testing.classifier()
    process = learning.build_local_global_process(
      model, learning_testing.settings(batches=learning.TensorBatches(5000))
    )
    labels = tf.zeros([10_000], tf.int32)
    data = [learning.ClientTensors(tf.fill([10_000, 4], x), labels) for x in (0.1, 0.2, 0.3)]
    found = _train(runtime.RayExecutionContext(_ACTORS[:1]), process, model, data, rounds=3)
    _assert_same_bits(found, _train(_LOCAL, process, model, data, rounds=3))
    kept = ray.get(_ACTORS[0].__ray_call__.remote(lambda worker: list(worker._tensors.values())))
    self.assertLen(kept, num_kept)

  def test_every_tensor_by_reference(self):
    model = learning_testing.classifier().with_global_layers(('output',))
    process = learning.build_local_global_process(
      model, learning_testing.settings(batches=learning.TensorBatches(3, 2))
    )
    data = _clients()
    with mock.patch.object(remote, '_STORED_BYTES', 0):
      found = _train(runtime.RayExecutionContext(_ACTORS[:2]), process, model, data, rounds=3)
    _assert_same_bits(found, _train(_LOCAL, process, model, data, rounds=3))

  def test_groups_that_need_each_other(self):
    values = [0.1 * i for i in range(7)]
    for arguments in (values, values[:1], []):
      found = runtime.RayExecutionContext(_ACTORS).invoke(two_stages.in_two_stages, arguments)
      self.assertEqual(found, _LOCAL.invoke(two_stages.in_two_stages, arguments))

  def test_sequences_and_strings(self):
    @tff.tensorflow.computation(tff.SequenceType(np.int64), np.str_)
    def count(data, word):
      return data.reduce(np.int64(0), lambda total, x: 10 * total + x), word + '\0é'

    computation = tff.federated_computation(
      lambda data, words: tff.federated_map(count, (data, words)),
      tff.FederatedType(tff.SequenceType(np.int64), tff.CLIENTS),
      tff.FederatedType(np.str_, tff.CLIENTS),
    )
    context = runtime.RayExecutionContext(_ACTORS[:2])
    words = ['a', 'b\0', '']

    def invoke(on):
      data = [tf.data.Dataset.range(n).shuffle(9, seed=1).repeat(2) for n in (0, 4, 3)]
      return on.invoke(computation, (data, words))

    found = invoke(context)
    self.assertEqual(found, invoke(_LOCAL))
    self.assertEqual([word for _, word in found], [(w + '\0é').encode() for w in words])
    with self.assertRaisesRegex(ValueError, 'data set has no end'):
      context.invoke(computation, ([tf.data.Dataset.range(3).repeat()], ['a']))


class FailureTest(absltest.TestCase):
  def test_error_of_a_client_is_as_without_ray(self):
    @tff.tensorflow.computation(np.int32)
    def positive(x):
      with tf.control_dependencies([tf.debugging.assert_positive(x, message='not so')]):
        return tf.identity(x)

    mapped = tff.federated_computation(lambda x: tff.federated_map(positive, x), _INTS)
    summed = tff.federated_computation(
      lambda x: tff.federated_secure_sum(tff.federated_map(positive, x), 10), _INTS
    )
    context = runtime.RayExecutionContext(_ACTORS)
    # Of the sum the last actor fails alone, the first block is of two of them.
    for computation, value in ((mapped, -4), (summed, 11)):
      values = [1] * 9 + [value] + [1] * 10 + [value]
      errors = []
      for each in (_LOCAL, context):
        with self.assertRaises(runtime.ClientComputationError) as raised:
          each.invoke(computation, values)
        # What follows names a node of the graph, which is numbered in each process.
        sentence, *_ = str(raised.exception).splitlines()
        errors.append((sentence, type(raised.exception.__cause__)))
      self.assertEqual(errors[0], errors[1])
      self.assertIn('failed at client 9', errors[1][0])

  def test_failed_work_is_not_done_again(self):
    import ray

    @tff.tensorflow.computation(np.int32)
    def positive(x):
      with tf.control_dependencies([tf.debugging.assert_positive(x)]):
        return x + 1

    computation = tff.federated_computation(
      lambda x: tff.federated_sum(tff.federated_map(positive, x)), _INTS
    )

    def count(worker):
      evaluate = worker._group

      def counting(content):
        worker.num_evaluated += 1
        return evaluate(content)

      worker.num_evaluated, worker._group = 0, counting

    actor = _ACTORS[0]
    ray.get(actor.__ray_call__.remote(count))
    with self.assertRaises(runtime.ClientComputationError):
      runtime.RayExecutionContext([actor]).invoke(computation, [1, -1])
    self.assertEqual(ray.get(actor.__ray_call__.remote(lambda worker: worker.num_evaluated)), 1)

  def test_killed_actors_change_nothing(self):
    model = learning_testing.classifier().with_global_layers(('output',))
    process = learning.build_local_global_process(
      model, learning_testing.settings(batches=learning.TensorBatches(3, 2))
    )
    data = _clients()
    expected = _train(_LOCAL, process, model, data, rounds=1)
    pids = [_pid(actor) for actor in _ACTORS[:2]]
    begin, send = actor_calls.ActorCall._begin, remote.RemoteRun._send_batch
    to_kill, begun = {'work': pids[0], 'results': pids[1]}, []

    def kill_at_work(call):
      begin(call)
      begun.append(call._method)
      if call._method == 'evaluate' and 'work' in to_kill:
        os.kill(to_kill.pop('work'), signal.SIGKILL)

    def kill_with_results(run):
      if 'results' in to_kill:
        actor_calls.wait_all(run._evaluations)
        self.assertEqual(begun, ['evaluate'] * 3)  # That of the actor that was killed twice.
        os.kill(to_kill.pop('results'), signal.SIGKILL)
      return send(run)

    with (
      mock.patch.object(actor_calls.ActorCall, '_begin', kill_at_work),
      mock.patch.object(remote.RemoteRun, '_send_batch', kill_with_results),
    ):
      found = _train(runtime.RayExecutionContext(_ACTORS[:2]), process, model, data, rounds=1)
    _assert_same_bits(found, expected)
    self.assertEmpty(to_kill)
    for actor, pid in zip(_ACTORS[:2], pids, strict=True):
      self.assertNotEqual(_pid(actor), pid)


class RefusedTest(parameterized.TestCase):
  @parameterized.parameters(
    ({'ray_actors': 0}, ValueError, 'ray_actors is 0, expected 1 or more'),
    ({'ray_actor_cpus': 0.0}, ValueError, 'ray_actor_cpus is 0.0, expected more than 0'),
    ({'ray_actor_gpus': -1.0}, ValueError, 'ray_actor_gpus is -1.0, expected 0 or more'),
    ({'ray_actors': 10**6}, ValueError, 'ray_actors is 1000000, but the cluster, .* has room for'),
    ({'ray_address': 'head'}, ValueError, 'ray_address is head, expected auto, HOST:PORT'),
    ({'ray_address': ':6379'}, ValueError, 'ray_address is :6379, expected auto, HOST:PORT'),
  )
  def test_options(self, options, error, sentence):
    with self.assertRaisesRegex(error, sentence):
      runtime.create_ray_execution_context(**options)


class SplitTest(parameterized.TestCase):
  @parameterized.parameters(
    ([1] * 10, 2, [(0, 5), (5, 10)]),
    ([1] * 10, 3, [(0, 3), (3, 7), (7, 10)]),
    ([1, 1, 1, 9], 2, [(0, 3), (3, 4)]),
    ([9, 1, 1, 1], 2, [(0, 1), (1, 4)]),
    ([5, 5], 3, [(0, 1), (1, 2)]),
  )
  def test_about_the_same_size(self, sizes, num_ranges, expected):
    self.assertEqual(remote.split(sizes, num_ranges), expected)


class PipelineTest(absltest.TestCase):
  def test_train_writes_what_it_writes_without_ray(self):
    self.addCleanup(tff.test.set_no_default_context)
    folder = self.create_tempdir().full_path
    metrics = {}
    for name, flags in (('local', ()), ('ray', ('--ray_actors=2', '--ray_actor_cpus=0.2'))):
      config = train.config_from_arguments(
        ['--fast', '--rounds=2', '--warm_start_rounds=1', f'--runtime={name}', *flags]
      )
      train.run(config, f'{folder}/{name}')
      with open(f'{folder}/{name}/metrics.csv', encoding='utf-8') as file:
        metrics[name] = file.read()
    self.assertEqual(metrics['ray'], metrics['local'])
    self.assertGreater(metrics['ray'].count('\n'), 3)


if __name__ == '__main__':
  absltest.main()
