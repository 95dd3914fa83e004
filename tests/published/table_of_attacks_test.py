"""Tests of the table of attacks: whose accuracy it has, and of which run."""

from absl.testing import absltest

from tff_lg import published

_TABLE = published.TABLES['mnist_attacks']


class _Run:
  """The summary of a run."""

  def __init__(self, summary):
    self.value = summary.__getitem__


class FiguresTest(absltest.TestCase):
  def test_honest_clients_are_read_and_all_without_attack(self):
    accuracy = 'local_test/accuracy/mean_over_clients'
    runs = {run.name: _Run({}) for run in _TABLE.runs}
    runs['median_without_attack'] = _Run({accuracy: 0.9})
    runs['median_backdoor_20'] = _Run(
      {accuracy: 0.5, f'honest/{accuracy}': 0.8, 'backdoor/success': 0.25}
    )
    read = {figure.row: figure.read for figure in _TABLE.figures if figure.column == 'median'}
    self.assertEqual(read['without attack'](runs), 90)
    self.assertEqual(read['backdoor, 20 %'](runs), 80)
    self.assertEqual(read['backdoor success, 20 %'](runs), 25)

  def test_shares_and_attacks_are_those_of_the_rows(self):
    flags = {run.name: run.flags for run in _TABLE.runs}
    self.assertEqual(
      flags['mean_little_is_enough_10'][1:],
      (
        *('--aggregator=mean', '--attack=little_is_enough', '--attack_strength=1.5'),
        '--malicious_share=0.1',
      ),
    )
    self.assertEqual(flags['mean_without_attack'][1:], ('--aggregator=mean',))


if __name__ == '__main__':
  absltest.main()
