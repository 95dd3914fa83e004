"""Running an aggregator on rows of numbers, and what every robust rule is asked."""

import functools

import hypothesis
import numpy as np
import tensorflow as tf
from hypothesis import strategies as st

from tff_lg.compatibility import tff

SETTINGS = {'derandomize': True, 'deadline': None, 'max_examples': 10, 'database': None}


@functools.cache
def _process(factory, value_type, is_weighted):
  weight_types = (tff.TensorType(np.float32),) if is_weighted else ()
  process = factory.create(value_type, *weight_types)
  return process, process.initialize()


def aggregate(factory, rows, weights=None):
  """Returns the output for one vector per client, and weights if the factory is weighted."""
  rows = np.asarray(rows, np.float32)
  value_type = tff.TensorType(np.float32, rows.shape[1:])
  process, state = _process(factory, value_type, weights is not None)
  arguments = [list(rows)] if weights is None else [list(rows), list(np.float32(weights))]
  return process.next(state, *arguments)


@functools.cache
def _in_a_graph(rule, num_weights):
  """Traces a rule as TFF does: in a graph of no function, where `==` compares Python objects."""
  with tf.Graph().as_default() as graph:
    rows = tf.compat.v1.placeholder(tf.float32, [None, num_weights])
    weights = tf.compat.v1.placeholder(tf.float32, [None])
    outputs = rule(rows, weights)
  run = tf.compat.v1.Session(graph=graph).make_callable(tf.nest.flatten(outputs), [rows, weights])
  return lambda *arguments: tf.nest.pack_sequence_as(outputs, run(*arguments))


def apply(rule, rows, weights=None):
  """Returns what a rule makes of rows, and its measurements; equal weights unless given."""
  rows = np.asarray(rows, np.float32)
  weights = np.ones(len(rows), np.float32) if weights is None else np.asarray(weights, np.float32)
  return _in_a_graph(rule, rows.shape[1])(rows, weights)


def random_rows(num_clients, num_weights=7, seed=0):
  """Draws a normal float32 [num_clients, num_weights]."""
  return np.random.default_rng(seed).normal(size=(num_clients, num_weights)).astype(np.float32)


def assert_order_does_not_matter(rule, rows, weights, atol=1e-6):
  """Checks that any order of clients, with their weights, gives the same."""
  rows, weights = np.asarray(rows), np.asarray(weights)
  expected, _ = apply(rule, rows, weights)

  @hypothesis.settings(**SETTINGS)
  @hypothesis.given(st.permutations(range(len(rows))))
  def check(order):
    result, _ = apply(rule, rows[order], weights[order])
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=atol)

  check()


def attacked(rows, num_attackers, value=1e6):
  """Returns the rows with some of them, from the first, replaced by a value."""
  rows = np.array(rows)
  rows[:num_attackers] = value
  return rows


def most_attackers_survived(rule, rows):
  """Counts the attackers of 1e6 that leave each coordinate within the honest values' range."""
  for num_attackers in range(len(rows)):
    result, _ = apply(rule, attacked(rows, num_attackers))
    honest = rows[num_attackers:]
    # To rounding.
    if np.any(result < honest.min(axis=0) - 1e-5) or np.any(result > honest.max(axis=0) + 1e-5):
      return num_attackers - 1
  return len(rows)
