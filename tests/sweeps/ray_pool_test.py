"""Tests of trials on Ray: one small cluster on this machine, else a stand-in for it."""

import pathlib
import sys
import types
from unittest import mock

from absl.testing import absltest

from tests.sweeps import testing
from tff_lg import ray_connection, sweeps


class _Crash(Exception):
  """The stand-in's RayError."""


class _Ray:
  """Runs a task when it is waited for."""

  exceptions = types.SimpleNamespace(RayError=_Crash)

  def __init__(self, *machines):
    self.machines, self.options, self.is_shut_down = machines, {}, False

  def nodes(self):
    return [{'Alive': is_alive, 'Resources': has} for is_alive, has in self.machines]

  def remote(self, **options):
    self.options = options
    return lambda function: types.SimpleNamespace(remote=lambda *args: (function, args))

  def wait(self, tasks, num_returns):
    return tasks[-num_returns:], tasks[:-num_returns]

  def get(self, task):
    function, args = task
    return function(*args)

  def shutdown(self):
    self.is_shut_down = True


class RayPoolTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path

  def _pool(self, ray, **options):
    with mock.patch.object(ray_connection, 'connect', return_value=(ray, ray.shutdown)):
      return sweeps.RayPool(testing.run, 2, **options)

  def test_on_a_cluster_of_this_machine(self):
    jobs = [
      testing.job(self.folder, 'a'),
      testing.job(self.folder, 'b', 'fails'),
      testing.job(self.folder, 'c', 'dies once'),
      testing.job(self.folder, 'd', testing.ReadAfter('colorsys')),
    ]
    with sweeps.RayPool(testing.run, 1, modules=['colorsys']) as pool:
      failures = sweeps.run_jobs(jobs, pool)
    self.assertEqual(failures, (sweeps.Failure(jobs[1], 'ValueError: no luck'),))
    self.assertEqual([testing.num_attempts(self.folder, name) for name in 'abcd'], [1, 2, 2, 1])
    with open(jobs[0].log_path, encoding='utf-8') as file:
      self.assertEqual(file.read().splitlines(), ['trial a', 'and its errors'])

  def test_jobs_and_what_ray_is_asked_for(self):
    ray = _Ray((True, {'CPU': 8.0, 'GPU': 1.0}))
    with self._pool(ray, cpus_per_trial=2, gpus_per_trial=0.5) as pool:
      self.assertEqual(pool.num_workers, 2)
      for name, behaviour in (('a', 'ends'), ('b', 'exits')):
        pool.start(testing.job(self.folder, name, behaviour))
      found = [pool.wait() for _ in 'ab']
    self.assertEqual(
      [(job.name, e) for job, e in found], [('b', 'SystemExit: enough'), ('a', None)]
    )
    self.assertEqual((ray.options['num_cpus'], ray.options['num_gpus']), (2, 0.5))
    self.assertEqual(ray.options['max_retries'], 0)
    self.assertTrue(ray.is_shut_down)

  def test_modules_are_imported_before_a_config_is_read(self):
    path = pathlib.Path(self.folder, 'brings_entries.py')
    path.write_text('')
    self.enter_context(mock.patch.object(sys, 'path', [*sys.path, self.folder]))
    self.enter_context(mock.patch.dict(sys.modules))
    errors = []
    for modules in ((), ('brings_entries',), ('brings_more',)):
      with self._pool(_Ray((True, {'CPU': 1.0})), modules=modules) as pool:
        pool.start(testing.job(self.folder, 'a', testing.ReadAfter('brings_entries')))
        errors.append(pool.wait()[1])
    unknown = "its worker on Ray cannot import brings_more: No module named 'brings_more'"
    self.assertEqual(errors, ['ValueError: no luck', None, unknown])

  def test_a_worker_that_is_lost_is_an_error_of_its_trial(self):
    ray = _Ray((True, {'CPU': 1.0}))
    with self._pool(ray) as pool, mock.patch.object(ray, 'get', side_effect=_Crash('gone\nmore')):
      pool.start(testing.job(self.folder, 'a'))
      _, error = pool.wait()
    self.assertEqual(error, 'its worker on Ray failed (_Crash): gone')

  def test_refuses_what_no_machine_has(self):
    ray = _Ray((True, {'CPU': 2.0}), (True, {'CPU': 4.0}), (False, {'CPU': 16.0}))
    self._pool(ray, cpus_per_trial=4).close()
    for options in ({'cpus_per_trial': 5}, {'gpus_per_trial': 0.5}):
      with self.assertRaisesRegex(sweeps.SweepError, 'is more than any of the 2 machines'):
        self._pool(ray, **options)

  def test_refuses_numbers(self):
    for num_workers, cpus, sentence in ((0, 1, 'num_workers is 0'), (1, -1, 'cpus_per_trial is')):
      with self.assertRaisesRegex(ValueError, sentence):
        sweeps.RayPool(testing.run, num_workers, cpus_per_trial=cpus)

  def test_a_cluster_that_does_not_answer(self):
    for address, sentence in (
      ('127.0.0.1:1', '--trials_address is 127.0.0.1:1, but no Ray answers there'),
      ('head', '--trials_address is head, expected auto, HOST:PORT'),
    ):
      with self.assertRaisesRegex(sweeps.SweepError, sentence):
        sweeps.RayPool(testing.run, 1, address=address)


if __name__ == '__main__':
  absltest.main()
