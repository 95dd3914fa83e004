"""Tests of optimised graphs on disk: found again, never taken if damaged, bounded, and optional."""

import os
from unittest import mock

import numpy as np
from absl.testing import absltest

from tff_lg import environment, runtime
from tff_lg.compatibility import tff
from tff_lg.runtime import cache, graph_cache, grappler


def _refuse():
  raise AssertionError('It should have been found.')


class GraphCacheTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = os.path.join(self.create_tempdir().full_path, 'caches', 'graphs')
    self.cache = graph_cache.GraphCache(self.folder)

  def _paths(self):
    return sorted(entry.path for entry in os.scandir(self.folder))

  def test_next_process_finds_what_was_made(self):
    self.assertEqual(self.cache.get_or_make(b'one', lambda: b'content'), b'content')
    again = graph_cache.GraphCache(self.folder)
    self.assertEqual(again.get_or_make(b'one', _refuse), b'content')
    self.assertEqual(again.get_or_make(b'two', lambda: b'other'), b'other')
    self.assertLen(self._paths(), 2)
    self.assertEqual(os.stat(self.folder).st_mode & 0o777, 0o700)

  def test_damaged_file_is_made_again(self):
    self.cache.get_or_make(b'one', lambda: b'content')
    (path,) = self._paths()
    with open(path, 'rb') as file:
      whole = file.read()
    for damaged in (whole[:-1], whole[:5], b'', whole[:-1] + b'T', whole + b'.'):
      with open(path, 'wb') as file:
        file.write(damaged)
      self.assertEqual(self.cache.get_or_make(b'one', lambda: b'content'), b'content')
      with open(path, 'rb') as file:
        self.assertEqual(file.read(), whole)

  def test_folder_that_others_can_write_is_left_alone(self):
    self.cache.get_or_make(b'one', lambda: b'content')
    os.chmod(self.folder, 0o777)
    other = graph_cache.GraphCache(self.folder)
    self.assertEqual(other.get_or_make(b'one', lambda: b'made'), b'made')
    self.assertEqual(other.get_or_make(b'two', lambda: b'made'), b'made')
    self.assertLen(self._paths(), 1)
    os.chmod(self.folder, 0o700)
    with mock.patch.object(os, 'getuid', return_value=os.getuid() + 1):
      self.assertEqual(self.cache.get_or_make(b'one', lambda: b'made'), b'made')

  def test_folder_that_cannot_be_made(self):
    with open(os.path.join(self.create_tempdir().full_path, 'file'), 'w') as file:
      nowhere = graph_cache.GraphCache(os.path.join(file.name, 'graphs'))
    for _ in range(2):
      self.assertEqual(nowhere.get_or_make(b'one', lambda: b'content'), b'content')

  def test_full_disk_leaves_nothing(self):
    with mock.patch.object(os, 'replace', side_effect=OSError('full')):
      self.assertEqual(self.cache.get_or_make(b'one', lambda: b'content'), b'content')
    self.assertEmpty(self._paths())

  def test_least_recently_used_are_dropped(self):
    for number in range(4):
      self.cache.get_or_make(b'%d' % number, lambda: bytes(68))
    for age, number in enumerate((2, 3, 1, 0)):
      path = os.path.join(self.folder, graph_cache._DIGEST(b'%d' % number).hexdigest())
      os.utime(path, (age, age))
    # Four files of 100 bytes where 399 are allowed: those beyond 199 go.
    small = graph_cache.GraphCache(self.folder, capacity=399)
    small.get_or_make(b'new', lambda: b'')
    self.assertLen(self._paths(), 2)
    self.assertEqual(small.get_or_make(b'0', _refuse), bytes(68))
    self.assertEqual(small.get_or_make(b'large', lambda: bytes(100)), bytes(100))
    self.assertLen(self._paths(), 2)

  def test_folder_of_the_user(self):
    of_user = graph_cache.of_user.__wrapped__
    with mock.patch.dict(os.environ, {'XDG_CACHE_HOME': '/somewhere'}):
      os.environ.pop(environment.GRAPH_CACHE, None)
      self.assertEqual(of_user()._folder, '/somewhere/tff-lg/graphs')
      os.environ[environment.GRAPH_CACHE] = '/mine'
      self.assertEqual(of_user()._folder, '/mine')
      os.environ[environment.GRAPH_CACHE] = ''
      self.assertIsNone(of_user())

  def test_settings_of_tensorflow_are_part_of_keys(self):
    found = set()
    for settings in ({'TF_ENABLE_ONEDNN_OPTS': '0'}, {'TF_ENABLE_ONEDNN_OPTS': '1'}):
      with mock.patch.dict(os.environ, settings):
        found.add(graph_cache.surroundings.__wrapped__())
        with mock.patch.dict(os.environ, {'TF_CPP_MAX_VLOG_LEVEL': '0'}):
          found.add(graph_cache.surroundings.__wrapped__())
    self.assertLen(found, 2)


class ContextTest(absltest.TestCase):
  def test_part_is_optimised_by_one_process(self):
    folder = self.create_tempdir().full_path
    os.chmod(folder, 0o700)

    @tff.tensorflow.computation(np.float32)
    def triple(x):
      return 3 * x

    context = runtime.create_local_execution_context()
    with mock.patch.object(graph_cache, 'of_user', lambda: graph_cache.GraphCache(folder)):
      cache._import.cache_clear()
      self.assertEqual(context.invoke(triple, 2.0), 6)
      self.assertNotEmpty(os.listdir(folder))
      cache._import.cache_clear()  # As in another process.
      again = runtime.create_local_execution_context()
      with mock.patch.object(grappler, 'optimize', side_effect=AssertionError):
        self.assertEqual(again.invoke(triple, 2.0), 6)


if __name__ == '__main__':
  absltest.main()
