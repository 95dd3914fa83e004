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


def _wait(*answers):
  """Waits for a call while Ray gives the answers in turn; returns also the actor."""
  actor = mock.Mock()
  call = actor_calls.ActorCall(actor, 'evaluate', 5)
  with mock.patch.object(ray, 'get', side_effect=answers):
    try:
      return call.wait(), actor
    finally:
      actor.evaluate.remote.assert_called_with(5)


class ActorCallTest(parameterized.TestCase):
  def test_begins_at_once(self):
    answer, actor = _wait(7)
    self.assertEqual(answer, 7)
    actor.evaluate.remote.assert_called_once_with(5)
    actor.is_ready.options.assert_not_called()

  @parameterized.parameters(_GONE, exceptions.ActorDiedError(), _LOST)
  def test_is_called_again_when_the_actor_is_back(self, error):
    answer, actor = _wait(error, _READY, error, _READY, error, _READY, 7)
    self.assertEqual(answer, 7)
    self.assertEqual(actor.evaluate.remote.call_count, 4)
    # However long it takes until Ray knows that a machine is gone.
    actor.is_ready.options.assert_called_with(max_task_retries=-1)

  def test_dies_of_the_call_itself(self):
    with self.assertRaisesRegex(
      ray_connection.ClusterError, 'The work at clients is lost on the Ray cluster: .*gone'
    ):
      _wait(_GONE, _READY, _GONE, _READY, _GONE, _READY, _GONE, AssertionError('a fifth time'))

  def test_does_not_come_back(self):
    with self.assertRaisesRegex(
      ray_connection.ClusterError, 'A Ray actor has died and not come back in 600 s: no machine'
    ):
      _wait(_GONE, exceptions.GetTimeoutError())

  def test_raises_what_the_method_raised(self):
    cause = ZeroDivisionError('by 0')
    with self.assertRaises(ZeroDivisionError) as raised:
      _wait(exceptions.RayTaskError('evaluate', 'traceback', cause))
    self.assertIs(raised.exception, cause)


if __name__ == '__main__':
  absltest.main()
