"""The choices of an unseen client by its own data before it predicts."""

import dataclasses
from typing import Any

import tensorflow as tf

from tff_lg.compatibility import tff
from tff_lg.learning import client_work
from tff_lg.learning import settings as settings_lib
from tff_lg.models import local_global


def build_settling(
  model: local_global.LocalGlobalModel,
  settings: settings_lib.ProcessSettings,
  global_types: tuple,
  client_state_type: tff.Type,
  data_type: tff.Type,
) -> tff.Computation | None:
  """Builds what newcomers do alone, by the settings' phases of theirs.

  Args:
    model: the model and its split.
    settings: of the process.
    global_types: of the server's weights.
    client_state_type: of one client's state.
    data_type: of one client's data.

  Returns:
    (global_weights@SERVER, client_states@CLIENTS, data@CLIENTS) -> client_states@CLIENTS; None
    where there are no such phases.
  """
  if not settings.newcomer_phases:
    return None
  alone = dataclasses.replace(
    settings, phases=settings.newcomer_phases, reset_client_optimizer=True
  )
  work = client_work.build_client_work(model, alone)

  @tff.tensorflow.computation(global_types, client_state_type, data_type)
  def settle_client(global_weights: Any, client_state: Any, data: Any) -> client_work.ClientState:
    start = client_work.ClientState(tuple(client_state.local_weights), ())
    output = work(tuple(global_weights), start, data, tf.constant(0))
    return client_work.ClientState(output.client_state.local_weights, client_state.optimizer_state)

  @tff.federated_computation(
    tff.FederatedType(global_types, tff.SERVER),
    tff.FederatedType(client_state_type, tff.CLIENTS),
    tff.FederatedType(data_type, tff.CLIENTS),
  )
  def settle(global_weights: tff.Value, client_states: tff.Value, data: tff.Value) -> tff.Value:
    at_clients = tff.federated_broadcast(global_weights)
    return tff.federated_map(settle_client, (at_clients, client_states, data))

  return settle
