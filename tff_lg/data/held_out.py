"""Clients that are held out of training, to meet its model as clients that it never saw."""

import dataclasses
from collections.abc import Callable, Collection, Sequence

from tff_lg.data import federated

# Ids of all clients -> ids of those that are held out.
ChooseHeldOut = Callable[[Sequence[str]], Collection[str]]


def nobody(client_ids: Sequence[str]) -> Collection[str]:
  """Holds no client out."""
  del client_ids
  return ()


def hold_out_clients(
  data: federated.FederatedData, choose: ChooseHeldOut
) -> federated.FederatedData:
  """Moves clients from those that take part to those that are held out.

  Args:
    data: without held-out clients.
    choose: who is held out.

  Returns:
    The same data; both groups are in the order in which the clients were.
  """
  chosen = frozenset(choose([client.client_id for client in data.clients]))
  return dataclasses.replace(
    data,
    clients=tuple(client for client in data.clients if client.client_id not in chosen),
    held_out=tuple(client for client in data.clients if client.client_id in chosen),
  )


def readmit_held_out(data: federated.FederatedData) -> federated.FederatedData:
  """Returns the same data with the held-out clients behind those that take part."""
  return dataclasses.replace(data, clients=(*data.clients, *data.held_out), held_out=())
