"""All programs, by the module of TFF that they are about."""

from collections.abc import Mapping, Sequence

from benchmarks.tff_programs import (
  aggregators,
  analytics,
  backends,
  core,
  learning_algorithms,
  learning_parts,
  private_aggregators,
  program,
  program_module,
  simulation,
  tutorials,
)

_FILES = (
  core,
  backends,
  aggregators,
  private_aggregators,
  learning_algorithms,
  learning_parts,
  analytics,
  program_module,
  simulation,
  tutorials,
)


def programs_of(file: object) -> Sequence[program.Program]:
  """Returns the programs that a file of this folder adds, in their order."""
  parts = [part for part in vars(file).values() if isinstance(part, program.Programs)]
  return [each for part in parts for each in part]


def by_module() -> Mapping[str, Sequence[program.Program]]:
  """Returns all programs by the module of TFF."""
  modules: dict[str, list[program.Program]] = {}
  for file in _FILES:
    for each in programs_of(file):
      modules.setdefault(each.module, []).append(each)
  return modules
