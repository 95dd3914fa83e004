"""Running programs of TFF on the local runtime."""

import functools
import unittest

import tensorflow as tf
from absl.testing import parameterized

from benchmarks.tff_programs import program, registry, runtimes
from tff_lg.compatibility import tff

# With TensorFlow 2.21: it takes the row [1, 1] that momentum adds to a gradient for a bias.
_FAILING = ('weighted_mime_lite', 'unweighted_mime_lite', 'mime_lite_with_optimizer_schedule')

_context = functools.cache(runtimes.RUNTIMES['local'])


def each_program(file):
  """A decorator that calls a test with each program of a file."""
  return parameterized.named_parameters(
    (f'_{each.name}', each) for each in registry.programs_of(file)
  )


def check(each: program.Program):
  """Fails where a program gives something else than is expected, also when it is called again."""
  if each.name in _FAILING and not tf.__version__.startswith('2.14.'):
    raise unittest.SkipTest('TensorFlow fails: bias must be 1-dimensional.')
  call = each.build()
  with tff.framework.get_context_stack().install(_context()):
    each.check(call())
    each.check(call())
