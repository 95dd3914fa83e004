"""Rounds of a process with the same clients in each, and the two whose rounds are worked out."""

from tests.learning import testing

# See process_test.ByHandTest.
TWO_CLIENTS = (testing.tensors((1, 1)), testing.tensors((1, 4), (1, 4), (1, 4)))


def run(process, model, data, num_rounds=1):
  server_state = process.initialize(model.initial_weights)
  client_states = [process.initialize_client(model.initial_weights)] * len(data)
  for _ in range(num_rounds):
    output = process.next(server_state, client_states, data)
    server_state, client_states = output.server_state, output.client_states
  return output
