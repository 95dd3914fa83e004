"""Running the same computation on TFF's own context and on ours."""

import collections
import contextlib

import numpy as np
import tensorflow as tf
import tree
from tensorflow.python.eager import context

from tff_lg import runtime
from tff_lg.compatibility import tff
from tff_lg.simulation import execution


def contexts(**options):
  """Returns TFF's own context, with secure sums as plain ones, and ours."""
  execution.end_worker_at_exit()
  stock = tff.backends.test.create_sync_test_cpp_execution_context(
    default_num_clients=options.get('default_num_clients', 0)
  )
  return stock, runtime.create_local_execution_context(**options)


@contextlib.contextmanager
def installed(context):
  """Installs the context as the one that computations called in this block run on."""
  with tff.framework.get_context_stack().install(context):
    yield


def plain(value):
  """Returns containers unchanged, tensors as arrays, data sets as lists of elements."""
  if isinstance(value, tf.data.Dataset):
    value = list(value)
  return tree.map_structure(
    lambda leaf: plain(leaf) if isinstance(leaf, tf.data.Dataset) else leaf, value
  )


def assert_same(ours, theirs, atol=1e-5):
  """Checks for the same containers, the same dtypes and the same numbers."""
  ours, theirs = plain(ours), plain(theirs)
  tree.assert_same_structure(ours, theirs, check_types=True)
  for mine, other in zip(tree.flatten(ours), tree.flatten(theirs), strict=True):
    mine, other = np.asarray(mine), np.asarray(other)
    assert mine.dtype == other.dtype, (mine, other)
    if mine.dtype.kind in 'fc':
      np.testing.assert_allclose(mine, other, atol=atol, rtol=1e-5)
    else:
      np.testing.assert_array_equal(mine, other)


def assert_same_on_both(stock, ours, computation, *arguments):
  """Checks that the computation gives the same on both contexts."""
  with installed(stock):
    theirs = computation(*arguments)
  with installed(ours):
    mine = computation(*arguments)
  assert_same(mine, theirs)


def devices_of_operations(call):
  """Returns the devices of the operations that the call ran, inside of functions too, by kind."""
  context.enable_run_metadata()
  try:
    call()
    metadata = context.export_run_metadata()
  finally:
    context.disable_run_metadata()
  devices = collections.defaultdict(set)
  for graph in metadata.partition_graphs:
    for node in graph.node:
      devices[node.op].add(node.device)
  return devices
