"""Seconds to aggregate 100 updates of 1.2 M weights, as a share of the clients' training.

  python -m benchmarks.aggregators --passes=3

A round of our process with the mean, less what the mean itself takes, is the training.
Each aggregator then gets updates of the same shapes, with equal weights. The last figure is the
peak memory of the process so far.
"""

import resource
import statistics
import time

from absl import flags

from pipelines import launch

_PASSES = flags.DEFINE_integer('passes', 3, 'Times each is run.', lower_bound=1)
_NUM_CLIENTS = flags.DEFINE_integer('num_clients', 100, 'Clients of a round.', lower_bound=5)


def main() -> None:
  """Times a round, then each aggregator, and prints a table."""
  import numpy as np
  import tensorflow as tf

  from benchmarks import contenders, workloads
  from tff_lg import aggregators, models, runtime
  from tff_lg.compatibility import tff
  from tff_lg.runtime import workers

  workers.configure_tensorflow('auto')  # before anything else starts TensorFlow
  runtime.set_local_execution_context()
  num_clients = _NUM_CLIENTS.value
  num_byzantine = (num_clients - 3) // 4
  factories = {
    'mean': tff.aggregators.MeanFactory(),
    'median': aggregators.median(weighted=True),
    'trimmed mean, 20 %': aggregators.trimmed_mean(0.2, weighted=True),
    'multi-Krum': aggregators.multi_krum(num_byzantine, num_clients, weighted=True),
    'geometric median': aggregators.geometric_median(weighted=True),
    'norm-bounded mean': aggregators.norm_bounded_mean(1.0, weighted=True),
  }
  workload = workloads.Workload(
    'mlp_large',
    lambda: models.build_mlp((28, 28, 1), 10, (1000, 400)),
    num_clients=num_clients,
    num_examples=600,
    batch_size=10,
  )
  shapes = [weight.shape for weight in workload.model().initial_weights]
  value_type = tff.to_type(tuple((np.float32, shape) for shape in shapes))
  rng = np.random.default_rng(0)
  updates = [
    tuple(tf.constant(rng.standard_normal(shape, np.float32)) for shape in shapes)
    for _ in range(num_clients)
  ]
  runs = {'round': contenders.our_fed_avg(workload)}
  for name, factory in factories.items():
    process = factory.create(value_type, tff.TensorType(np.float32))
    state = process.initialize()

    def run(process=process, state=state) -> object:
      return process.next(state, updates, [1.0] * num_clients)

    runs[name] = run

  seconds, gibibytes = {}, {}
  for name, run in runs.items():
    run()  # tracing, compiling
    taken = []
    for _ in range(_PASSES.value):
      began = time.perf_counter()
      run()
      taken.append(time.perf_counter() - began)
    seconds[name] = statistics.median(taken)
    gibibytes[name] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
  training = seconds['round'] - seconds['mean']
  print(f'{num_clients} clients: median of {_PASSES.value} runs; training {training:.2f} s')
  for name in factories:
    share = seconds[name] / training
    print(f'  {name:<20}{seconds[name]:8.2f} s {share:6.2f} x  {gibibytes[name]:5.1f} GiB at most')


if __name__ == '__main__':
  launch.run(main)
