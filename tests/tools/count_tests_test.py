"""Tests for tools.count_tests."""

import contextlib
import io
import json
import pathlib

from absl.testing import absltest

from tools import count_tests

_JUNIT = """\
<?xml version="1.0"?>
<testsuites><testsuite name="A">
  <testcase name="good" status="run"/>
  <testcase name="better" status="run"/>
  <testcase name="bad" status="run"><failure message="1 != 2"/></testcase>
  <testcase name="worse" status="run"><error message="KeyError"/></testcase>
  <testcase name="later" status="notrun" result="suppressed"/>
</testsuite></testsuites>
"""


def _result(label: str, xml: pathlib.Path, attempt: int = 1, millis: int | None = None) -> str:
  """Returns the event of a test target that has run."""
  result = {'testActionOutput': [{'name': 'test.xml', 'uri': xml.as_uri()}]}
  if millis is not None:
    result['testAttemptDurationMillis'] = str(millis)  # As protobuf writes an int64.
  return json.dumps(
    {
      'id': {'testResult': {'label': label, 'run': 1, 'shard': 1, 'attempt': attempt}},
      'testResult': result,
    }
  )


def _summary(label: str, status: str) -> str:
  """Returns the event that closes a test target."""
  return json.dumps(
    {'id': {'testSummary': {'label': label}}, 'testSummary': {'overallStatus': status}}
  )


def _completed(label: str) -> str:
  """Returns the event of a target that could not be built."""
  return json.dumps({'id': {'targetCompleted': {'label': label}}, 'completed': {}})


class CountTestsTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir()
    self.mixed = self._junit('mixed case.xml', _JUNIT)
    self.good = self._junit('good.xml', '<testsuites><testcase name="a"/></testsuites>')

  def _junit(self, name: str, text: str) -> pathlib.Path:
    return pathlib.Path(self.folder.create_file(name, content=text).full_path)

  def _run(self, *events: str, status: str = '0') -> tuple[int, str]:
    """Returns the exit status and the last line of a run with these events."""
    code, lines = self._run_to_lines(*events, status=status)
    return code, lines[-1]

  def _run_to_lines(self, *events: str, status: str = '0') -> tuple[int, list[str]]:
    path = self.folder.create_file('events.json', content='\n'.join(events)).full_path
    with contextlib.redirect_stdout(io.StringIO()) as out:
      code = count_tests.main(path, status)
    return code, out.getvalue().splitlines()

  def test_counts_cases_over_targets(self):
    code, line = self._run(
      _result('//:a', self.mixed),
      _summary('//:a', 'FAILED'),
      _result('//:b', self.good),
      _summary('//:b', 'PASSED'),
      status='3',
    )
    self.assertEqual((code, line), (1, '3 passed, 2 failed, 1 skipped'))

  def test_passes_when_all_pass(self):
    events = _result('//:b', self.good), _summary('//:b', 'PASSED')
    self.assertEqual(self._run(*events), (0, '1 passed, 0 failed'))

  def test_counts_the_last_attempt(self):
    code, line = self._run(
      _result('//:a', self.mixed, attempt=1),
      _result('//:a', self.good, attempt=2),
      _summary('//:a', 'FLAKY'),
    )
    self.assertEqual((code, line), (0, '1 passed, 0 failed'))

  def test_names_the_slowest_targets(self):
    events = [_result(f'//:t{index}', self.good, millis=1000 * index) for index in range(7)]
    _, lines = self._run_to_lines(*events, _result('//:t2', self.good, millis=90_400))
    expected = 'slowest: //:t2 90 s, //:t6 6 s, //:t5 5 s, //:t4 4 s, //:t3 3 s'
    self.assertEqual(lines, [expected, '7 passed, 0 failed'])

  def test_a_target_without_a_failed_case_counts_once(self):
    code, line = self._run(
      _result('//:slow', self.folder.full_path / pathlib.Path('absent.xml')),
      _summary('//:slow', 'TIMEOUT'),
      _completed('//:broken'),
      _result('//:b', self.good),
      _summary('//:b', 'PASSED'),
      status='1',
    )
    self.assertEqual((code, line), (1, '1 passed, 2 failed'))

  def test_counts_several_runs_together(self):
    events = (
      self.folder.create_file(f'events{index}.json', '\n'.join(lines)).full_path
      for index, lines in enumerate(
        (
          [_result('//:a', self.good, millis=3000), _summary('//:a', 'PASSED')],
          [_result('//:a', self.mixed, millis=2000), _summary('//:a', 'FAILED')],
          ['{}'],
        )
      )
    )
    with contextlib.redirect_stdout(io.StringIO()) as out:
      code = count_tests.main(next(events), '0', next(events), '3', next(events), '1')
    self.assertEqual(code, 1)
    last_lines = out.getvalue().splitlines()[-2:]
    self.assertEqual(last_lines, ['slowest: //:a 3 s', '3 passed, 3 failed, 1 skipped'])

  def test_a_run_that_bazel_could_not_start_fails(self):
    self.assertEqual(self._run(status='1'), (1, '0 passed, 1 failed'))

  def test_no_tests_is_not_a_success(self):
    self.assertEqual(self._run(), (1, '0 passed, 0 failed'))


if __name__ == '__main__':
  absltest.main()
