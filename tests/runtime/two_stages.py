"""A computation with local processing before, between and after communications."""

import numpy as np

from tff_lg.compatibility import tff

FLOATS = tff.FederatedType(np.float32, tff.CLIENTS)


@tff.tensorflow.computation(np.float32)
def add_one(x):
  return x + 1.0


@tff.tensorflow.computation(np.float32, np.float32)
def add_and_multiply(x, y):
  return x + y, x * y


@tff.federated_computation(FLOATS)
def in_two_stages(values):
  """Maps before a sum, and maps of what the server makes of it."""
  more = tff.federated_map(add_one, values)
  both = tff.federated_map(add_and_multiply, (values, more))
  total = tff.federated_sum(both[0])
  above = tff.federated_map(add_one, total)
  shared = tff.federated_broadcast(tff.federated_map(add_one, above))
  again = tff.federated_map(add_and_multiply, (both[1], shared))
  return tff.federated_map(add_one, again[0]), values, above
