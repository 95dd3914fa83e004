"""Calls of actors that die; Ray's answers are given by hand, `ray_test` kills real ones."""

from unittest import mock

import ray
from absl.testing import absltest, parameterized
from ray import exceptions

from tff_lg import ray_connection
from tff_lg.runtime import actor_calls

_GONE = exceptions.ActorUnavailableError('gone', b'\0' * 16)
_LOST = exceptions.ObjectLostError('00', None, '')
_READY = None


def _first(references, num_returns, timeout):
  del num_returns, timeout
  return references[:1], references[1:]


def _wait(*answers, wait=_first, actors=1):
  """Waits for a call of each actor while Ray gives the answers in turn; returns also the actors."""
  handles = [mock.Mock() for _ in range(actors)]
  calls = [actor_calls.ActorCall(actor, 'evaluate', 5) for actor in handles]
  with (
    mock.patch.object(ray, 'get', side_effect=answers),
    mock.patch.object(ray, 'wait', wait),
  ):
    return actor_calls.wait_all(calls), handles


class ActorCallTest(parameterized.TestCase):
  def test_begins_at_once(self):
    answers, (actor,) = _wait(7)
    self.assertEqual(answers, [7])
    actor.evaluate.remote.assert_called_once_with(5)
    actor.is_ready.options.assert_not_called()

  @parameterized.parameters(
    _GONE,
    exceptions.ActorDiedError(),
    _LOST,
    exceptions.RayTaskError('evaluate', 'what it needed was lost', _LOST),
  )
  def test_is_called_again_when_the_actor_is_back(self, error):
    answers, (actor,) = _wait(error, _READY, error, _READY, error, _READY, 7)
    self.assertEqual(answers, [7])
    self.assertEqual(actor.evaluate.remote.mock_calls, [mock.call(5)] * 4)
    # However long it takes until Ray knows that a machine is gone.
    actor.is_ready.options.assert_called_with(max_task_retries=-1)

  def test_others_do_not_wait_for_the_one_that_is_lost(self):
    def last(references, num_returns, timeout):
      return _first(references[::-1], num_returns, timeout)

    answers, (first, second) = _wait(_GONE, _READY, 8, 7, wait=last, actors=2)
    self.assertEqual(answers, [7, 8])
    self.assertEqual(first.evaluate.remote.call_count, 1)
    self.assertEqual(second.evaluate.remote.call_count, 2)

  def test_dies_of_the_call_itself(self):
    with self.assertRaisesRegex(
      ray_connection.ClusterError, 'The work at clients is lost on the Ray cluster: .*gone'
    ):
      _wait(_GONE, _READY, _GONE, _READY, _GONE, _READY, _GONE, AssertionError('a fifth time'))

  @parameterized.parameters(
    exceptions.OutOfDiskError('full'),
    exceptions.RayTaskError('', '', exceptions.OutOfDiskError('')),
  )
  def test_cluster_without_room(self, error):
    with self.assertRaisesRegex(ray_connection.ClusterError, 'is lost on the Ray cluster'):
      _wait(error)

  def test_does_not_come_back(self):
    timeouts = []

    def wait(references, num_returns, timeout):
      timeouts.append(timeout)
      return _first(references, num_returns, timeout) if timeout is None else ([], references)

    with self.assertRaisesRegex(
      ray_connection.ClusterError, 'A Ray actor was lost and does not answer for 600 s: no machine'
    ):
      _wait(_GONE, wait=wait)
    self.assertBetween(timeouts[1], 590, 600)

  def test_raises_what_the_method_raised(self):
    cause = ZeroDivisionError('by 0')
    with self.assertRaises(ZeroDivisionError) as raised:
      _wait(exceptions.RayTaskError('evaluate', 'traceback', cause))
    self.assertIs(raised.exception, cause)


if __name__ == '__main__':
  absltest.main()
