"""Calls of Ray actors that outlive the actor, and the machine it is on."""

from typing import Any

from tff_lg import ray_connection

# Deaths of an actor at the same call before it is given up: the call could be what kills it.
_RETRIES = 3
# A machine that is gone is noticed after a minute; then TensorFlow is imported elsewhere.
_RETURN_SECONDS = 600


class ActorCall:
  """A call of an actor's method, begun at once; an actor that comes back is called again.

  What Ray itself would call again fails at once while nobody has noticed that a machine is gone.
  """

  def __init__(self, actor: Any, method: str, argument: Any) -> None:
    """Takes an actor's handle, and a method for which twice is as good as once."""
    self._actor, self._method, self._argument = actor, method, argument
    self._answer = self._begin()

  def wait(self) -> Any:
    """What the method returns.

    Raises:
      ClusterError: the actor has died at it too often, or does not come back.
      Exception: what the method raised.
    """
    import ray

    for attempt in range(_RETRIES + 1):
      try:
        if attempt:
          self._wait_until_back()
          self._answer = self._begin()
        return ray.get(self._answer)
      except ray.exceptions.RayTaskError as error:
        raise error.cause from error
      except (ray.exceptions.RayActorError, ray.exceptions.ObjectLostError) as error:
        lost = error
      except ray.exceptions.RayError as error:
        raise _given_up(error) from error
    raise _given_up(lost) from lost

  def _begin(self) -> Any:
    return getattr(self._actor, self._method).remote(self._argument)

  def _wait_until_back(self) -> None:
    import ray

    ready = self._actor.is_ready.options(max_task_retries=-1).remote()
    try:
      ray.get(ready, timeout=_RETURN_SECONDS)
    except ray.exceptions.GetTimeoutError as error:
      raise ray_connection.ClusterError(
        f'A Ray actor has died and not come back in {_RETURN_SECONDS} s: no machine may have room '
        'for it. The same command goes on from the last checkpoint.'
      ) from error


def _given_up(error: BaseException) -> ray_connection.ClusterError:
  reason = ray_connection.first_line(error)
  return ray_connection.ClusterError(f'The work at clients is lost on the Ray cluster: {reason}')
