"""Three rounds of two clients of one example each, for replays of methods in NumPy.

The model is y = head * base * x from base 1 and head 2; its loss is the squared error.
"""

import numpy as np

from tests.learning import testing
from tff_lg import learning
from tff_lg.compatibility import tff

RATE = np.float32(0.125)
# One example each a round, so that a mean over examples is that of clients.
CLIENTS = ((1.0, 1.0), (0.5, 3.0))
COHORTS = ((0, 1), (1,), (0, 1))
BASE, HEAD = np.array([1, 2], np.float32)


def gradient(weights, client):
  """Computes the gradient of (head * base * x - y)^2 by base and head."""
  (base, head), (x, y) = weights, np.float32(CLIENTS[client])
  residual = head * (base * x) - y
  return np.array([2 * residual * head * x, 2 * residual * base * x], np.float32)


def run(name, *, num_epochs=2, optimizer=None, **options):
  """Runs a method's process.

  Args:
    name: of the method.
    num_epochs: of the client's only example: its steps.
    optimizer: of clients; SGD of `RATE` by default.
    **options: of the method.

  Returns:
    The process, the server's state, and the states of all clients.
  """
  settings = learning.ProcessSettings(
    optimizer or tff.learning.optimizers.build_sgdm(float(RATE)),
    learning.TensorBatches(None, num_epochs=num_epochs),
  )
  process = learning.METHODS[name].build_process(testing.linear_model(), settings, **options)
  weights = process.model.initial_weights
  server_state = process.initialize(weights)
  states = [process.initialize_client(weights)] * len(CLIENTS)
  for cohort in COHORTS:
    data = [testing.tensors(CLIENTS[client]) for client in cohort]
    output = process.next(server_state, [states[client] for client in cohort], data)
    server_state = output.server_state
    for client, state in zip(cohort, output.client_states, strict=True):
      states[client] = state
  return process, server_state, states


def assert_close(server_state, states, global_weights, local_weights):
  """Compares what the server and the clients have with what was replayed."""
  np.testing.assert_allclose(np.hstack(_flat(server_state.global_weights)), global_weights, 1e-5)
  for state, expected in zip(states, local_weights, strict=True):
    np.testing.assert_allclose(np.hstack(_flat(state.local_weights)), expected, 1e-5)


def _flat(weights):
  return [np.ravel(weight) for weight in weights]
