"""Tests of FedPer, replayed in NumPy as Arivazhagan et al. write it."""

import numpy as np
from absl.testing import absltest, parameterized

from tests.learning import testing
from tests.learning.methods import replay
from tff_lg import learning, simulation


def setUpModule():
  simulation.set_execution_context()


def _replay():
  """Replays Algorithms 1 and 2: two steps on base and head together; the base is averaged."""
  base, heads = replay.BASE, [replay.HEAD] * 2
  for cohort in replay.COHORTS:
    bases = []
    for client in cohort:
      weights = np.array([base, heads[client]])
      for _ in range(2):
        weights = weights - replay.RATE * replay.gradient(weights, client)
      bases.append(weights[0])
      heads[client] = weights[1]
    base = np.mean(bases, dtype=np.float32)
  return base, heads


class FedPerTest(parameterized.TestCase):
  def test_three_rounds_of_two_clients(self):
    _, server_state, states = replay.run('fedper')
    replay.assert_close(server_state, states, *_replay())

  def test_is_lg_fedavg_with_the_last_layer_local_to_the_bit(self):
    _, ours, states = replay.run('fedper')
    _, theirs, others = replay.run('lg_fedavg', global_layers=('base',))
    np.testing.assert_array_equal(ours.global_weights, theirs.global_weights)
    for one, other in zip(states, others, strict=True):
      np.testing.assert_array_equal(one.local_weights, other.local_weights)

  def test_named_layers_are_local(self):
    process = testing.method_process('fedper')
    self.assertEqual(process.model.weight_is_global, (True, True, False, False))
    process = learning.METHODS['fedper'].build_process(
      testing.classifier(), testing.settings(), personal_layers=('hidden_1',)
    )
    self.assertEqual(process.model.weight_is_global, (False, False, True, True))

  @parameterized.parameters((('top',),), (('base', 'head'),))
  def test_refuses(self, layers):
    found = ','.join(layers)
    with self.assertRaisesRegex(
      ValueError, f'^personal_layers is {found}, expected some of base, head, not all.$'
    ):
      replay.run('fedper', personal_layers=layers)


if __name__ == '__main__':
  absltest.main()
