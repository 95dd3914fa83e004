"""Tests of metrics by round in files."""

import csv
import errno
import os
import resource
import shutil

from absl.testing import absltest

from tests import reading
from tff_lg.training import releases
from tff_lg.training.communication import RoundTraffic


class MetricsReleaserTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path

  def _read(self, name='metrics.csv'):
    with open(os.path.join(self.folder, name), encoding='utf-8') as file:
      return list(csv.DictReader(file))

  def test_row_per_round_with_empty_fields_where_there_was_no_evaluation(self):
    releaser = releases.MetricsReleaser(self.folder)
    releaser.release(1, 'fedavg', {'train/loss': 2.5}, RoundTraffic(1, 2, 3, 4))
    releaser.release(2, 'lg_fedavg', {'train/loss': 0.1, 'new': 7}, RoundTraffic(5, 6, 7, 8))
    releaser.release(3, 'lg_fedavg', {'train/loss': 1e-9}, RoundTraffic())
    self.assertEqual(os.listdir(self.folder), ['tensorboard'])
    releaser.flush()
    self.assertEqual(
      self._read(),
      [
        {'round_num': '1', 'method': 'fedavg', 'train/loss': '2.5', 'new': ''},
        {'round_num': '2', 'method': 'lg_fedavg', 'train/loss': '0.1', 'new': '7'},
        {'round_num': '3', 'method': 'lg_fedavg', 'train/loss': '1e-09', 'new': ''},
      ],
    )
    self.assertEqual(
      self._read('communication.csv')[1],
      {
        'round_num': '2',
        'method': 'lg_fedavg',
        'parameters_down': '5',
        'parameters_up': '6',
        'bytes_down': '7',
        'bytes_up': '8',
      },
    )

  def test_resumed_run_drops_the_rows_after_its_checkpoint(self):
    releaser = releases.MetricsReleaser(self.folder)
    for round_num in range(1, 6):
      releaser.release(round_num, 'fedavg', {'loss': round_num}, RoundTraffic(round_num))
    releaser.flush()
    resumed = releases.MetricsReleaser(self.folder, 2)
    resumed.release(3, 'fedavg', {'loss': 30}, RoundTraffic(30))
    resumed.flush()
    self.assertEqual(
      [(row['round_num'], row['loss']) for row in self._read()],
      [('1', '1'), ('2', '2'), ('3', '30')],
    )
    down = [row['parameters_down'] for row in self._read('communication.csv')]
    self.assertEqual(down, ['1', '2', '30'])

  def _lengthened(self, tables):
    resumed = releases.MetricsReleaser(self.folder, 3, tables)
    resumed.release(4, 'fedavg', {'loss': 4}, RoundTraffic())
    resumed.flush()
    return self._read()

  def _released(self, num_rounds):
    releaser = releases.MetricsReleaser(self.folder)
    for round_num in range(1, num_rounds + 1):
      releaser.release(round_num, 'fedavg', {'loss': round_num}, RoundTraffic())
    return releaser.flush()

  def test_rows_of_the_checkpoint_count_whatever_the_file_has(self):
    tables = self._released(3)
    expected = self._lengthened(tables)
    self.assertLen(expected, 4)
    path = os.path.join(self.folder, 'metrics.csv')
    for damage in (
      os.unlink,
      lambda path: os.truncate(path, 0),
      lambda path: os.truncate(path, 25),
      lambda path: os.truncate(path, os.path.getsize(path) - 12),
    ):
      damage(path)
      self.assertEqual(self._lengthened(tables), expected)

  def test_file_that_lacks_rows_is_refused_where_the_checkpoint_has_none(self):
    self._released(3)
    path = os.path.join(self.folder, 'metrics.csv')
    with open(path, encoding='utf-8') as file:
      lines = file.read().splitlines(keepends=True)
    for kept, what in (
      (lines[:3], 'has no row of round 3'),
      (lines[:2] + lines[3:], 'has no row of round 2'),
      ([*lines, lines[2]], 'has a round twice'),
      ([*lines[:3], '3,fedavg\n'], 'cannot be read .a row has another number of fields'),
      ([*lines[:3], 'x,fedavg,1\n'], "cannot be read .invalid literal for int.*'x'"),
      ([], 'has no row of round 1'),
    ):
      with open(path, 'w', encoding='utf-8') as file:
        file.writelines(kept)
      with self.assertRaisesRegex(ValueError, f'{path} {what}.*checkpoint is of round 3: put back'):
        self._lengthened({})
    os.unlink(path)
    with self.assertRaisesRegex(ValueError, f'{path} cannot be read .*No such file'):
      self._lengthened(None)

  def test_run_that_starts_again_from_the_first_round(self):
    for loss in (1, 2):
      releaser = releases.MetricsReleaser(self.folder)
      releaser.release(1, 'fedavg', {'loss': loss}, RoundTraffic())
      releaser.flush()
    self.assertEqual([row['loss'] for row in self._read()], ['2'])

  def test_tensorboard(self):
    releases.MetricsReleaser(self.folder).release(1, 'fedavg', {'loss': 1.0}, RoundTraffic())
    (name,) = os.listdir(os.path.join(self.folder, 'tensorboard'))
    self.assertStartsWith(name, 'events.out.tfevents')

  def test_tensorboard_gets_the_rounds_before_where_it_has_none(self):
    releaser = releases.MetricsReleaser(self.folder)
    for round_num, metrics in enumerate(({'loss': 2.5}, {'loss': 0.5, 'accuracy': 0.75}), 1):
      releaser.release(round_num, 'fedavg', metrics, RoundTraffic())
    tables = releaser.flush()
    shutil.rmtree(os.path.join(self.folder, 'tensorboard'))
    resumed = releases.MetricsReleaser(self.folder, 2, tables)
    resumed.release(3, 'lg_fedavg', {'loss': 0.25}, RoundTraffic())
    expected = {(1, 'loss'): 2.5, (2, 'loss'): 0.5, (2, 'accuracy'): 0.75, (3, 'loss'): 0.25}
    self.assertEqual(reading.read_events(self.folder), expected)

  def test_full_disk_is_an_error_of_the_system_that_names_the_folder(self):
    releaser = releases.MetricsReleaser(self.folder)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    self.addCleanup(resource.setrlimit, resource.RLIMIT_FSIZE, before)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    with self.assertRaises(OSError) as raised:
      releaser.release(1, 'fedavg', {'loss': 1.0}, RoundTraffic())
    found = raised.exception
    self.assertEqual((found.errno, found.filename), (errno.EFBIG, f'{self.folder}/tensorboard'))

  def test_no_temporary_files_are_left(self):
    releaser = releases.MetricsReleaser(self.folder)
    releaser.release(1, 'fedavg', {'loss': 1.0}, RoundTraffic())
    releaser.flush()
    self.assertCountEqual(
      os.listdir(self.folder), ['communication.csv', 'metrics.csv', 'tensorboard']
    )


if __name__ == '__main__':
  absltest.main()
