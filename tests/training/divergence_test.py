"""Tests of who is said to have ruined a run."""

import json

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg.learning import client_work
from tff_lg.learning import process as process_lib
from tff_lg.learning import server as server_lib
from tff_lg.training import divergence

_IDS = ('ann', 'ben', 'cy', 'dan')


def _output(*sizes, weights=True, aggregate=True, step=None):
  """Makes a round of clients whose updates have these sizes; None for one that is not finite.

  The server's step is the mean by default, or nothing where that overflows.
  """
  clients = [
    client_work.ClientMetrics(1.0, 3, size is not None, np.float32(size or 0)) for size in sizes
  ]
  left_out = sizes.count(None)
  if step is None:
    step = aggregate * sum(size or 0 for size in sizes) / max(len(sizes), 1)
  metrics = server_lib.RoundMetrics(
    1.0, 3, len(sizes) - left_out, left_out, {}, aggregate, weights, np.float32(step)
  )
  return process_lib.RoundOutput(None, [], metrics, clients)


class UpdateWatchTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.watch = divergence.UpdateWatch(_IDS, divergence.of_flags('mean', 0.5))

  def _check(self, round_num, *sizes, **changes):
    return self.watch.check(round_num, range(len(sizes)), _output(*sizes, **changes))

  def test_good_rounds_say_nothing(self):
    with self.assertNoLogs(level='WARNING'):
      self.assertIsNone(self._check(1, 0.1, 0.2, 0.3))
      self.assertIsNone(self._check(2, 0.0, 0.0, 0.0))
      self.assertIsNone(self._check(3))

  def test_without_a_jump_the_cohort_is_named(self):
    self._check(1, 0.1, 0.2, 3.0)
    self.assertEqual(
      self._check(2, None, None),
      'Round 2: no client of the cohort has a finite update; lower --client_learning_rate, or look '
      'at the data of ann, ben.',
    )

  def test_one_client_of_an_earlier_round_is_named(self):
    self._check(1, 0.1, 0.2, 0.4)
    self._check(2, 0.1, 1e9, 0.4)
    self._check(3, 1e12, 1e13, 1e14)
    self.assertEqual(self.watch.jump[:2], (2, 'ben'))
    self.assertIn(
      'in round 2 client ben has an update with a value of 1e+09, 1e+10 times', self._check(4, None)
    )

  def test_all_clients_together_are_out_of_scale_by_earlier_rounds(self):
    self._check(1, 0.1, 0.1)
    self._check(2, 2e2, 3e2)
    self.assertEqual(self.watch.jump[:2], (2, 'ben'))

  def test_ruined_model_is_told_at_once_and_at_the_end(self):
    self._check(1, 0.1, 0.2, 0.4)
    ruined = (
      'The model may be ruined since round 2: client ben has an update with a value of 1e+09, '
      '1e+10 times the usual. Look at its data, lower --client_learning_rate, or use '
      '--adaptive_zeroing or a robust --aggregator.'
    )
    with self.assertLogs(level='WARNING') as logs:
      self._check(2, 0.1, 1e9, 0.4)
      for round_num in range(3, 20):  # More rounds than are remembered.
        self._check(round_num, 1e8, 1e8, 1e9)
    self.assertEqual([log.getMessage() for log in logs.records], [ruined])
    self.assertEqual(self.watch.warning, ruined)
    self._check(20, 0.1, 0.1)
    self.assertEqual(self.watch.warning, '')

  def test_client_that_the_aggregator_keeps_out_ruins_nothing(self):
    with self.assertNoLogs(level='WARNING'):
      self._check(1, 0.1, 0.2, 1e9, step=0.2)
    self.assertEqual(self.watch.warning, '')

  def test_small_updates_ruin_nothing(self):
    self._check(1, 1e-6, 1e-6)
    self._check(2, 1e-2, 1e-2)
    self.assertEqual(self.watch.warning, '')

  def test_step_of_the_server_is_named(self):
    with self.assertLogs(level='WARNING') as logs:
      self._check(1, 0.1, 0.2, step=1e37)
      self._check(2, 0.1, 0.2, step=1e37)
    made = "in round 2 the server's step has a value of 1e+37, 5e+37 times the usual"
    self.assertLen(logs.records, 1)
    self.assertEqual(
      self._check(3, None, None),
      f'Round 3: no client of the cohort has a finite update; {made}. Look at --aggregator=mean '
      "and --server_learning_rate=0.5: lower the server's learning rate, or choose another "
      'aggregator.',
    )

  def test_step_in_a_round_of_nobody_is_noise(self):
    self._check(1, step=900)
    self.assertIsNone(self.watch.jump)
    with self.assertLogs(level='WARNING'):
      self._check(2, step=1e6)
    self._check(3, 1e5)
    self.assertEqual(self.watch.jump[:2], (2, None))

  def test_majority_of_attackers_does_not_hide_them(self):
    self._check(1, 0.1, 1e18, 0.2, 1e18)
    self.assertEqual(self.watch.jump.client, 'ben')

  def test_model_that_recovers_blames_nobody(self):
    self._check(1, 0.1, 0.2, 1e9)
    self._check(2, 0.1, 0.2, 0.3)
    self.assertIsNone(self.watch.jump)

  def test_restored_watch_blames_the_same_client(self):
    self._check(1, 0.1, 0.2, 0.4)
    self._check(2, 0.1, 1e9, 0.4)
    meta = json.loads(json.dumps(self.watch.to_meta()))
    self._check(3, 1e12, 1e13, 1e14)
    expected = self._check(4, None)
    self.watch = divergence.UpdateWatch(_IDS, divergence.of_flags('mean', 0.5))
    self.watch.load_meta(meta)
    self._check(3, 1e12, 1e13, 1e14)
    self.assertEqual(self._check(4, None), expected)
    self.assertIn('in round 2 client ben', expected)

  def test_without_flags_only_what_helps_is_advised(self):
    self.watch = divergence.UpdateWatch(_IDS, divergence.Wording())
    self.assertEndsWith(self._check(1, None), 'finite update; look at the data of ann.')
    self._check(2, 0.1, 1e9)
    self.assertEndsWith(self._check(3, None), 'times the usual. Look at its data.')
    self.assertStartsWith(self._check(4, 0.1, weights=False), 'Round 4: the mean gave global')

  @parameterized.parameters((6, 'a, b, c, d, e, f'), (8, 'a, b, c, d, e and 3 others'))
  def test_few_of_many_clients_are_named(self, num_clients, names):
    self.watch = divergence.UpdateWatch('abcdefgh', divergence.Wording())
    self.assertEndsWith(self._check(1, *[None] * num_clients), f'look at the data of {names}.')

  def test_server_is_named(self):
    self.assertEqual(
      self._check(7, 0.1, 0.3, weights=False),
      'Round 7: --aggregator=mean and --server_learning_rate=0.5 gave global weights that are '
      'not finite. Among the clients, client ben has an update with a value of 0.3, the largest '
      'of all.',
    )

  def test_void_round_is_told(self):
    with self.assertLogs(level='WARNING') as logs:
      self.assertIsNone(self._check(3, 0.1, 2e38, aggregate=False))
    self.assertIn('Round 3 is void: --aggregator=mean overflowed', logs.output[0])
    self.assertTrue(divergence.is_void(_output(0.1, aggregate=False).metrics))
    # A mean over nobody.
    self.assertFalse(divergence.is_void(_output(None, aggregate=False).metrics))


if __name__ == '__main__':
  absltest.main()
