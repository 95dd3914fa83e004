"""Counts the test cases of a `bazel test` run.

Bazel reports targets, each a file of many cases. This reads the run's events and opens the JUnit
file of each target that was run or taken from the cache. It prints one line, `N passed, N failed`,
with `, N skipped` after it if any were. A target that failed without a failed case (it timed out,
crashed or could not be built) counts as one failure. The line before names the targets that took
longest: on two quiet cores none should take more than 90 seconds, see .bazelrc.

  count_tests.py EVENTS STATUS [EVENTS STATUS]...

EVENTS is the file of --build_event_json_file, STATUS the exit status of `bazel test`; the line
counts all runs together. The exit status here is 0 only if something passed and nothing failed.
"""

import collections
import json
import pathlib
import sys
import urllib.parse
import xml.etree.ElementTree
from collections.abc import Iterable

_SLOWEST = 5


def count_cases(path: pathlib.Path) -> collections.Counter:
  """Returns the `passed`, `failed` and `skipped` cases of a JUnit file, none if unreadable."""
  counts = collections.Counter()
  try:
    root = xml.etree.ElementTree.parse(path).getroot()
  except (OSError, xml.etree.ElementTree.ParseError):
    return counts
  for case in root.iter('testcase'):
    if case.find('failure') is not None or case.find('error') is not None:
      counts['failed'] += 1
    elif case.find('skipped') is not None or case.get('status') == 'notrun':
      counts['skipped'] += 1
    else:
      counts['passed'] += 1
  return counts


def count_events(lines: Iterable[str]) -> collections.Counter:
  """Returns the counts over all test targets of a run, see the module's docstring.

  Args:
    lines: the events of the run, one JSON object a line.
  """
  results = {}  # The last attempt of each run and shard of a target.
  summaries = {}
  for line in lines:
    event = json.loads(line)
    event_id = event.get('id', {})
    if 'testResult' in event and 'testResult' in event_id:
      key = event_id['testResult']
      results[key['label'], key.get('run'), key.get('shard')] = event['testResult']
    elif 'testSummary' in event and 'testSummary' in event_id:
      summaries[event_id['testSummary']['label']] = event['testSummary'].get('overallStatus')
    elif 'targetCompleted' in event_id and 'completed' in event:
      # A target that failed to build gets no summary in every version of Bazel.
      if not event['completed'].get('success'):
        summaries.setdefault(event_id['targetCompleted']['label'], 'FAILED_TO_BUILD')
    elif 'aborted' in event and 'targetCompleted' in event_id:
      summaries.setdefault(event_id['targetCompleted']['label'], 'FAILED_TO_BUILD')

  per_target = collections.defaultdict(collections.Counter)
  for (label, _, _), result in results.items():
    for output in result.get('testActionOutput', ()):
      if output['name'] == 'test.xml':
        path = pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(output['uri']).path))
        per_target[label] += count_cases(path)
  for label, status in summaries.items():
    if status not in ('PASSED', 'FLAKY') and not per_target[label]['failed']:
      print(f'{label}: {status}')
      per_target[label]['failed'] += 1
  return sum(per_target.values(), collections.Counter())


def slowest_targets(lines: Iterable[str], number: int = _SLOWEST) -> list[tuple[str, float]]:
  """Returns the test targets that took longest, the slowest first, and their seconds.

  Args:
    lines: the events of the run, one JSON object a line.
    number: of targets at most.
  """
  seconds = {}
  for line in lines:
    event = json.loads(line)
    result = event.get('testResult', {})
    if 'testAttemptDurationMillis' in result:
      label = event['id']['testResult']['label']
      taken = int(result['testAttemptDurationMillis']) / 1000
      seconds[label] = max(taken, seconds.get(label, 0))
  return sorted(seconds.items(), key=lambda item: item[1], reverse=True)[:number]


def main(*runs: str) -> int:
  """Prints the counts and returns the exit status.

  Args:
    *runs: the file of events and the exit status of each run of `bazel test`, in turn.
  """
  all_lines = []
  counts = collections.Counter()
  for events, status in zip(runs[::2], runs[1::2], strict=True):
    with open(events) as file:
      lines = file.readlines()
    all_lines += lines
    counts_of_run = count_events(lines)
    if status != '0' and not counts_of_run['failed']:
      print(f'bazel test stopped with status {status} before every test had run: see above.')
      counts_of_run['failed'] += 1
    counts += counts_of_run
  slowest = ', '.join(f'{label} {taken:.0f} s' for label, taken in slowest_targets(all_lines))
  if slowest:
    print(f'slowest: {slowest}')
  skipped = f', {counts["skipped"]} skipped' if counts['skipped'] else ''
  print(f'{counts["passed"]} passed, {counts["failed"]} failed{skipped}')
  return 0 if counts['passed'] and not counts['failed'] else 1


if __name__ == '__main__':
  sys.exit(main(*sys.argv[1:]))
