"""Tests of the order of trials, and of what happens to those that fail."""

import contextlib
import io

from absl.testing import absltest

from tff_lg import progress, sweeps


class _Pool:
  """Ends jobs in the order in which they start, with the errors it is given."""

  def __init__(self, num_workers, errors):
    self.num_workers = num_workers
    self.started = []
    self.most_at_a_time = 0
    self._errors = {name: list(of_job) for name, of_job in errors.items()}
    self._running = []

  def start(self, job):
    self.started.append(job.name)
    self._running.append(job)
    self.most_at_a_time = max(self.most_at_a_time, len(self._running))

  def wait(self):
    progress.report()
    job = self._running.pop(0)
    errors = self._errors.get(job.name)
    return job, errors.pop(0) if errors else None


def _jobs(names):
  return [sweeps.Job(name, None, f'trials/{name}', f'logs/{name}.log') for name in names]


class RunJobsTest(absltest.TestCase):
  def test_all_end(self):
    pool = _Pool(2, {})
    self.assertEqual(sweeps.run_jobs(_jobs('abc'), pool), ())
    self.assertEqual(pool.started, ['a', 'b', 'c'])
    self.assertEqual(pool.most_at_a_time, 2)

  def test_progress_tells_how_many_run(self):
    err = io.StringIO()
    with contextlib.redirect_stderr(err):
      sweeps.run_jobs(_jobs('abc'), _Pool(2, {}))
    told = [line.rpartition('running=')[2] for line in err.getvalue().splitlines()]
    self.assertEqual(told, ['2', '2', '1'])

  def test_one_that_fails_is_tried_again_at_the_end(self):
    pool = _Pool(1, {'a': ['no luck']})
    with self.assertLogs(level='WARNING') as logs:
      self.assertEqual(sweeps.run_jobs(_jobs('abc'), pool), ())
    self.assertEqual(pool.started, ['a', 'b', 'c', 'a'])
    self.assertIn('Trial a failed and is tried again at the end: no luck', logs.output[0])

  def test_one_that_fails_twice_is_listed(self):
    pool = _Pool(3, {'b': ['no luck', 'none again']})
    jobs = _jobs('abc')
    with self.assertLogs(level='WARNING'):
      failures = sweeps.run_jobs(jobs, pool)
    self.assertEqual(failures, (sweeps.Failure(jobs[1], 'none again'),))
    self.assertEqual(pool.started, ['a', 'b', 'c', 'b'])

  def test_one_that_diverges_is_not_tried_again(self):
    pool = _Pool(1, {'a': ['DivergenceError: round 3 is not finite']})
    jobs = _jobs('ab')
    failures = sweeps.run_jobs(jobs, pool)
    self.assertEqual(failures, (sweeps.Failure(jobs[0], 'DivergenceError: round 3 is not finite'),))
    self.assertEqual(pool.started, ['a', 'b'])

  def test_nothing_to_do(self):
    pool = _Pool(2, {})
    self.assertEqual(sweeps.run_jobs([], pool, num_done=4), ())
    self.assertEmpty(pool.started)


if __name__ == '__main__':
  absltest.main()
