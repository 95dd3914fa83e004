"""Running programs of TFF on the local runtime."""

import functools

from absl.testing import parameterized

from benchmarks.tff_programs import program, registry, runtimes
from tff_lg.compatibility import tff

_context = functools.cache(runtimes.RUNTIMES['local'])


def each_program(file):
  """Decorates a test, which is called with each program of a file."""
  return parameterized.named_parameters(
    (f'_{each.name}', each) for each in registry.programs_of(file)
  )


def check(each: program.Program):
  """Fails where a program gives something else than is expected, also when it is called again."""
  call = each.build()
  with tff.framework.get_context_stack().install(_context()):
    each.check(call())
    each.check(call())
