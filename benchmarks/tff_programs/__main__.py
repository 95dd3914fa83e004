"""Runs every program and prints a table by TFF's module: passed, failed and why, CPU seconds.

  python -m benchmarks.tff_programs --runtimes=local,tff --modules=tff.aggregators --details

Runtimes are `local`, the project's own, and `tff`, TFF's worker process. Where both run a program,
its calls on the first runtime are given as multiples of those on the second. The programs of a
module share a process on each runtime, so that both bear what TensorFlow does once.
"""

import sys
from collections.abc import Mapping, Sequence

from absl import flags

from pipelines import launch

_RUNTIMES = flags.DEFINE_list('runtimes', ['local', 'tff'], 'One runtime, or two to compare.')
_MODULES = flags.DEFINE_list('modules', None, "TFF's modules, by name; all by default.")
_DETAILS = flags.DEFINE_bool('details', False, "Whether to print each program's seconds, too.")


def main() -> None:
  """Runs the programs and prints the table."""
  from benchmarks.tff_programs import measure, registry, runtimes

  names, modules = _RUNTIMES.value, registry.by_module()
  if not set(names) <= set(runtimes.RUNTIMES) or len(names) not in (1, 2):
    sys.exit(
      f'tff_programs: --runtimes is {",".join(names)}, expected one or two of '
      f'{", ".join(runtimes.RUNTIMES)}.'
    )
  chosen = _MODULES.value or list(modules)
  unknown = [name for name in chosen if name not in modules]
  if unknown:
    sys.exit(f'tff_programs: --modules has {unknown[0]}, expected some of {", ".join(modules)}.')
  calls = [f'{number} call, {names[0]}' for number in ('first', 'second')]
  print(_row('module', 'programs', *(f'passed, {name}' for name in names), *calls))
  failures: list[str] = []
  totals: list[Mapping[str, measure.Outcome]] = []
  for module in chosen:
    programs = modules[module]
    of_runtimes = [measure.run_apart(programs, runtimes.RUNTIMES[name]) for name in names]
    outcomes = [dict(zip(names, each, strict=True)) for each in zip(*of_runtimes, strict=True)]
    for each, outcome in zip(programs, outcomes, strict=True):
      found = [
        f'{module}: {each.name} on {name}: {of_runtime.reason}'
        for name, of_runtime in outcome.items()
        if of_runtime.reason
      ]
      failures += found
      if _DETAILS.value:
        passed = [int(not outcome[name].reason) for name in names]
        print(
          '\n'.join([_row(f'  {each.name}', '', *passed, *_seconds([outcome], names)), *found]),
          flush=True,
        )
    _print_module(module, outcomes, names)
    totals += outcomes
  _print_module('all', totals, names)
  print('\n'.join(['', *failures]) if failures else '')


def _row(module: str, programs: object, *columns: object) -> str:
  return f'{module:<66}{programs:>10}' + ''.join(f'{column:>20}' for column in columns)


def _print_module(module: str, outcomes: Sequence[Mapping], names: Sequence[str]) -> None:
  passed = [sum(not outcome[name].reason for outcome in outcomes) for name in names]
  print(_row(module, len(outcomes), *passed, *_seconds(outcomes, names)), flush=True)


def _seconds(outcomes: Sequence[Mapping], names: Sequence[str]) -> list[str]:
  """Returns, for first and second calls, the seconds of programs that pass on all runtimes."""
  passed = [outcome for outcome in outcomes if not any(outcome[name].reason for name in names)]
  if not passed:
    return ['–', '–']
  texts = []
  for part in ('first', 'second'):
    ours, *theirs = (sum(getattr(outcome[name], part) for outcome in passed) for name in names)
    ratio = f'{ours / theirs[0]:.2f} x ' if theirs and theirs[0] else ''
    texts.append(f'{ratio}{ours:.2f} s')
  return texts


if __name__ == '__main__':
  launch.run(main)
