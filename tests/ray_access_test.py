"""Tests who can reach a Ray that is started here, and what a killed program leaves of it."""

import ipaddress
import os
import signal
import subprocess
import sys

import psutil
from absl.testing import absltest, parameterized

from tests import processes
from tff_lg import ray_connection

_SECONDS = 60
# Asks the head of a Ray, whose address it is told, for the cluster's nodes.
_STRANGER = """
import sys
import ray
try:
  print('nodes', len(ray._raylet.GcsClient(address=sys.argv[1]).get_all_node_info()))
except ray.exceptions.AuthenticationError:
  print('refused')
"""
# Starts Ray and a task, and is killed.
_PROGRAM = """
import os, signal, sys, time
sys.path[:0] = {path!r}
import psutil
from tff_lg import ray_connection

ray, leave = ray_connection.connect('', '--at', num_cpus=1)
ray.get(ray.remote(lambda: None).remote())
task = ray.remote(lambda: time.sleep(600)).remote()
folder = ray._private.worker._global_node.address_info['session_dir']
print(os.path.dirname(folder), *[p.pid for p in psutil.Process().children(recursive=True)])
sys.stdout.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""


def setUpModule():
  global _RAY, _LEAVE
  _RAY, _LEAVE = ray_connection.connect('', '--at', num_cpus=1)


def tearDownModule():
  _LEAVE()


def _processes():
  """Returns this program and all processes that Ray has started."""
  return [psutil.Process(), *psutil.Process().children(recursive=True)]


def _listening():
  """Returns (process, address, port) of each socket that accepts connections."""
  return [
    (process.name(), connection.laddr.ip, connection.laddr.port)
    for process in _processes()
    for connection in process.net_connections(kind='inet')
    if connection.status == psutil.CONN_LISTEN
  ]


def _token():
  (raylet,) = (process for process in _processes() if process.name() == 'raylet')
  return raylet.environ()['RAY_AUTH_TOKEN']


class AccessTest(parameterized.TestCase):
  def test_all_listen_on_the_loopback_address_only(self):
    _RAY.get(_RAY.remote(lambda: None).remote())  # Workers listen, too.
    found = _listening()
    self.assertContainsSubset({'gcs_server', 'raylet'}, {name for name, _, _ in found})
    for name, address, port in found:
      ip = ipaddress.ip_address(address)
      ip = getattr(ip, 'ipv4_mapped', None) or ip
      self.assertTrue(ip.is_loopback, f'{name} listens at {address}, port {port}')

  @parameterized.named_parameters(
    ('none', lambda: {}, 'refused'),
    ('wrong', lambda: {'RAY_AUTH_MODE': 'token', 'RAY_AUTH_TOKEN': '0' * 64}, 'refused'),
    ('right', lambda: {'RAY_AUTH_MODE': 'token', 'RAY_AUTH_TOKEN': _token()}, 'nodes 1'),
  )
  def test_token_is_wanted(self, environment, answer):
    address = _RAY.get_runtime_context().gcs_address
    result = subprocess.run(
      [sys.executable, '-c', _STRANGER, address],
      env=processes.environment(**environment()),
      stdout=subprocess.PIPE,
      stderr=subprocess.DEVNULL,
      text=True,
      check=False,
      timeout=_SECONDS,
    )
    self.assertEqual(result.stdout.strip(), answer)

  def test_token_is_of_ray_s_own_processes_alone(self):
    self.assertNotIn('RAY_AUTH_TOKEN', os.environ)
    for process in _processes():
      self.assertNotIn(_token(), ' '.join(process.cmdline()))


class KilledTest(absltest.TestCase):
  def test_nothing_is_left_of_a_program_that_is_killed(self):
    result = subprocess.run(
      [sys.executable, '-c', _PROGRAM.format(path=sys.path)],
      stdout=subprocess.PIPE,
      text=True,
      check=False,
      timeout=_SECONDS,
    )
    self.assertEqual(result.returncode, -signal.SIGKILL)
    folder, *pids = result.stdout.split()
    self.assertGreater(len(pids), 4)
    for pid in map(int, pids):
      self.assertTrue(processes.has_ended(pid, _SECONDS), pid)
    self.assertFalse(os.path.exists(folder))


if __name__ == '__main__':
  absltest.main()
