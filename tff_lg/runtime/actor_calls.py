"""Calls of Ray actors that outlive the actor, and the machine it is on."""

import time
from collections.abc import Sequence
from typing import Any

from tff_lg import errors, ray_connection

# Deaths of an actor at the same call before it is given up: the call could be what kills it.
_RETRIES = 3
# A machine that is gone is noticed after a minute; then TensorFlow is imported elsewhere.
_RETURN_SECONDS = 600


class ActorCall:
  """A call of an actor's method, begun at once; an actor that comes back is called again.

  Calls that Ray itself would repeat fail at once while the loss of a machine is unnoticed.

  Attributes:
    reference: to what is waited for next.
    deadline: of the actor's return, by `time.monotonic`; None while it is there.
    answer: what the method returned, once it has.
  """

  def __init__(self, actor: Any, method: str, argument: Any) -> None:
    """Takes an actor's handle, and a method for which twice is as good as once."""
    self._actor, self._method, self._argument = actor, method, argument
    self._deaths = 0
    self.deadline: float | None = None
    self.answer: Any = None
    self._begin()

  def advance(self) -> bool:
    """Takes what the reference is to, which is there; returns whether that is the answer.

    Raises:
      ClusterError: the actor has died at the call too often.
      Exception: what the method raised.
    """
    import ray

    try:
      found = ray.get(self.reference)
    except ray.exceptions.RayTaskError as error:
      if not isinstance(error.cause, ray.exceptions.RayError):
        raise error.cause from error
      self._begin_again(error.cause)  # In the actor, what it needed of others was lost.
    except ray.exceptions.RayError as error:
      self._begin_again(error)
    else:
      if self.deadline is None:
        self.answer = found
        return True
      self._begin()
    return False

  def _begin(self) -> None:
    self.deadline = None
    self.reference = getattr(self._actor, self._method).remote(self._argument)

  def _begin_again(self, error: BaseException) -> None:
    import ray

    is_lost = isinstance(error, (ray.exceptions.RayActorError, ray.exceptions.ObjectLostError))
    if not is_lost or self._deaths == _RETRIES:
      reason = errors.first_line(error)
      raise ray_connection.ClusterError(
        f'The work at clients is lost on the Ray cluster: {reason}'
      ) from error
    self._deaths += 1
    self.deadline = time.monotonic() + _RETURN_SECONDS
    self.reference = self._actor.is_ready.options(max_task_retries=-1).remote()


def wait_all(calls: Sequence[ActorCall]) -> list[Any]:
  """Returns the calls' answers. A call whose actor dies starts again while the others continue.

  Raises:
    ClusterError: an actor has died at a call too often, or does not answer any more.
    Exception: what a method raised.
  """
  import ray

  unanswered = list(calls)
  while unanswered:
    by_reference = {call.reference: call for call in unanswered}
    deadlines = [call.deadline for call in unanswered if call.deadline is not None]
    timeout = max(min(deadlines) - time.monotonic(), 0) if deadlines else None
    ready, _ = ray.wait(list(by_reference), num_returns=1, timeout=timeout)
    if not ready:
      raise ray_connection.ClusterError(
        f'A Ray actor was lost and does not answer for {_RETURN_SECONDS} s: no machine may have '
        'room for it. Rerun the same command to resume from the last checkpoint.'
      )
    call = by_reference[ready[0]]
    if call.advance():
      unanswered.remove(call)
  return [call.answer for call in calls]
