"""Tests of the time that an advice says is left, on times written by hand."""

import io
from unittest import mock

from absl.testing import absltest

from tff_lg import files, progress
from tff_lg.experiments import advise


class SecondsLeftTest(absltest.TestCase):
  def test_first_round_compiles(self):
    # Rounds of 2 s after one of 5 s: 7 are left here, and two parts take 5 + 9 * 2 s.
    self.assertAlmostEqual(advise.seconds_left([5, 7, 9], 3, 10, [10, 10]), 7 * 2 + 2 * 23)

  def test_later_parts_have_their_own_rounds(self):
    self.assertAlmostEqual(advise.seconds_left([5, 7, 9], 3, 10, [3, 1]), 7 * 2 + (5 + 4) + 5)

  def test_resumed_part_and_no_other(self):
    self.assertAlmostEqual(advise.seconds_left([5, 7, 9], 8, 10, []), 2 * 2)


class RemainingTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path
    self.stderr = self.enter_context(mock.patch('sys.stderr', io.StringIO()))
    self.seconds = 0.0
    clock = mock.Mock(monotonic=lambda: self.seconds)
    self.enter_context(mock.patch.object(advise, 'time', clock))

  def _train(self, num_rounds, first=5.0, other=2.0):
    bar = progress.Bar(num_rounds, 'round')
    for number in range(num_rounds):
      self.seconds += other if number else first
      bar.update()
      # Of an evaluation in the round, which is not counted.
      progress.Bar(1, 'client', is_nested=True).update()
    bar.close()

  def test_tells_after_the_first_rounds_then_by_parts(self):
    left = advise._Remaining([10] * 4)
    with left.part('local_only', f'{self.folder}/local_only'):
      self.seconds += 100.0
    for name in ('fedavg', 'ditto'):
      with left.part(name, f'{self.folder}/{name}'):
        self._train(10)
    self.assertEqual(
      self.stderr.getvalue().splitlines(),
      [
        'Part 1 of 4: local_only',
        'Part 2 of 4: fedavg',
        'About 60 s left in all parts, estimated by 3 rounds',
        'Part 3 of 4: ditto; about 46 s left',
      ],
    )

  def test_complete_parts_say_nothing_of_others(self):
    files.write_atomically(f'{self.folder}/fedavg/summary.json', '{}\n')
    left = advise._Remaining([40] * 2)
    with left.part('fedavg', f'{self.folder}/fedavg'):
      self.seconds += 1.0
    with left.part('ditto', f'{self.folder}/ditto'):
      self._train(40)
    lines = self.stderr.getvalue().splitlines()
    self.assertEqual(lines[1], 'Part 2 of 2: ditto')
    self.assertEqual(lines[2], 'About 72 s left in all parts, estimated by 4 rounds')
    self.assertLen(lines, 3)


if __name__ == '__main__':
  absltest.main()
