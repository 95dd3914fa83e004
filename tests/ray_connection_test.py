"""Tests of how Ray is joined or started, with a stand-in for it."""

import os
import signal
import types
from unittest import mock

from absl.testing import absltest, parameterized

from tff_lg import ray_connection


class _AuthenticationError(Exception):
  """The stand-in's."""


class _Ray(types.SimpleNamespace):
  """A Ray that says how it was started, and with which environment."""

  exceptions = types.SimpleNamespace(AuthenticationError=_AuthenticationError)

  def __init__(self, error=None, is_started=False):
    super().__init__(
      init=mock.Mock(side_effect=self._init), shutdown=mock.Mock(), _raylet=mock.MagicMock()
    )
    self.is_initialized = lambda: is_started
    self._error, self.environment = error, {}

  def _init(self, *unused_args, **unused_options):
    self.environment = dict(os.environ)
    if self._error is not None:
      raise self._error


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

  def test_each_ray_that_is_started_has_its_own_token(self):
    tokens = []
    with mock.patch.dict(os.environ, RAY_AUTH_MODE='disabled', RAY_AUTH_TOKEN_PATH='mine'):
      before = dict(os.environ)
      for _ in range(2):
        ray = _Ray()
        _, leave = _connect(ray, '')
        self.assertEqual(ray.environment['RAY_AUTH_MODE'], 'token')
        self.assertNotIn('RAY_AUTH_TOKEN_PATH', ray.environment)
        tokens.append(ray.environment['RAY_AUTH_TOKEN'])
        ray._raylet.Config.initialize.assert_called_once()
        leave()
        self.assertEqual(ray._raylet.Config.initialize.call_count, 2)
      self.assertEqual({**before, **os.environ}, {**os.environ, **before})
      self.assertNotIn('RAY_AUTH_TOKEN', os.environ)
    self.assertLen(set(tokens), 2)
    self.assertLen(tokens[0], 64)

  def test_a_cluster_that_is_joined_has_the_token_of_its_user(self):
    for mode, num_warnings in (('token', 0), ('disabled', 1)):
      ray = _Ray()
      with (
        mock.patch.dict(os.environ, RAY_AUTH_MODE=mode, RAY_AUTH_TOKEN='theirs'),
        mock.patch.object(ray_connection.logging, 'warning') as warning,
      ):
        _connect(ray, 'auto')
      self.assertEqual(ray.environment['RAY_AUTH_MODE'], mode)
      self.assertEqual(ray.environment['RAY_AUTH_TOKEN'], 'theirs')
      self.assertEqual(warning.call_count, num_warnings)

  def test_the_way_to_end_stays_the_program_s(self):
    def handle(*unused):
      pass

    before = signal.signal(signal.SIGTERM, handle)
    self.addCleanup(signal.signal, signal.SIGTERM, before)
    ray = _Ray()
    ray.init.side_effect = lambda *_, **__: signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _connect(ray, 'auto')
    self.assertIs(signal.getsignal(signal.SIGTERM), handle)

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
    ('auto', ConnectionError('nobody\nmore'), '--at is auto, but Ray cannot join it: nobody '),
    ('auto', ConnectionError(), 'join it: ConnectionError .is RAY_AUTH_TOKEN missing.*$'),
    ('auto', _AuthenticationError(), '--at is auto, but that Ray cluster wants its token: set '),
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
