"""Tests of how Ray is joined or started, with a stand-in for it."""

import os
import types
from unittest import mock

from absl.testing import absltest, parameterized

from tff_lg import ray_connection


class _Ray(types.SimpleNamespace):
  """A Ray that says how it was started."""

  def __init__(self, error=None, is_started=False):
    super().__init__(init=mock.Mock(side_effect=error), shutdown=mock.Mock())
    self.is_initialized = lambda: is_started


def _connect(ray, address, **options):
  with mock.patch.dict('sys.modules', ray=ray):
    return ray_connection.connect(address, '--at', **options)


class ConnectTest(parameterized.TestCase):
  def test_starts_ray_and_ends_it(self):
    ray = _Ray()
    found, leave = _connect(ray, '', num_cpus=3)
    self.assertIs(found, ray)
    (address,), options = ray.init.call_args
    self.assertEqual((address, options['num_cpus']), ('local', 3))
    folder = options['_temp_dir']
    self.assertTrue(os.path.isdir(folder))
    leave()
    ray.shutdown.assert_called_once()
    self.assertFalse(os.path.exists(folder))

  def test_joins_the_cluster_of_this_machine(self):
    ray = _Ray()
    _connect(ray, 'auto', num_cpus=3)
    (address,), options = ray.init.call_args
    self.assertEqual(address, 'auto')
    self.assertNotIn('num_cpus', options)

  def test_one_that_runs_is_left_alone(self):
    ray = _Ray(is_started=True)
    _, leave = _connect(ray, '')
    leave()
    ray.init.assert_not_called()
    ray.shutdown.assert_not_called()

  @parameterized.parameters(
    ('auto', ConnectionError('nobody\nmore'), '--at is auto, but Ray cannot join it: nobody$'),
    ('auto', ConnectionError(), '--at is auto, but Ray cannot join it: ConnectionError$'),
    ('', RuntimeError('no room'), 'Ray cannot start here: no room$'),
    ('127.0.0.1:1', None, '--at is 127.0.0.1:1, but no Ray answers there: '),
    ('127.0.0.1:99999', None, '--at is 127.0.0.1:99999, but no Ray answers there: '),
  )
  def test_no_cluster(self, address, error, sentence):
    ray = _Ray(error)
    with self.assertRaisesRegex(ray_connection.ClusterError, sentence):
      _connect(ray, address)
    ray.shutdown.assert_not_called()
    for call in ray.init.call_args_list:
      self.assertFalse(os.path.exists(call.kwargs.get('_temp_dir', '')))

  @parameterized.parameters('head', ':6379', 'head:', 'head:ray')
  def test_an_address_that_is_none(self, address):
    with self.assertRaisesRegex(ValueError, f'--at is {address}, expected auto, HOST:PORT'):
      _connect(_Ray(), address)


if __name__ == '__main__':
  absltest.main()
