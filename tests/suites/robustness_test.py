"""Tests of running a suite of robustness on a pool that writes invented run folders at once."""

import dataclasses
import json
import os
import pathlib

import pandas as pd
from absl.testing import absltest, parameterized

from tests.suites import testing
from tff_lg import suites
from tff_lg.suites import board

# Validation accuracy by rate and attack: rate 2 has the best worst case, not the best mean.
_ACCURACY = {('1', 'a'): 0.9, ('1', 'b'): 0.3, ('2', 'a'): 0.5, ('2', 'b'): 0.45}


@dataclasses.dataclass(frozen=True)
class _Config:
  arguments: tuple[str, ...]


class _Pool:
  """Runs each job at once."""

  num_workers = 1

  def __init__(self):
    self.run, self._done = [], []
    self.diverging, self.failing = (), ()

  def start(self, job):
    flags = dict(flag[2:].split('=', 1) for flag in job.config.arguments)
    self.run.append(flags)
    trial = (flags.get('client_learning_rate'), flags.get('attack'))
    if trial in (*self.diverging, *self.failing):
      what = 'DivergenceError' if trial in self.diverging else 'OSError'
      self._done.append((job, f'{what}: no more.'))
      return
    _write(pathlib.Path(job.run_dir), flags, _ACCURACY.get(trial, 0.6))
    self._done.append((job, None))

  def wait(self):
    return self._done.pop()


def _write(folder, flags, accuracy):
  """Writes two honest clients and a malicious one, which own models do not have."""
  folder.mkdir(parents=True)
  is_own = flags.get('method') == 'local_only'
  own = {'is_malicious': [False, False, not is_own]}
  spread = [accuracy, accuracy - 0.2, 1.0]
  scores = {'local_test/accuracy': spread, 'validation/accuracy': [accuracy] * 2 + [1.0]}
  hparams = {'method': flags.get('method'), 'task': 'digits'}
  if 'from_run' in flags:
    scores = {f'fine_tune/{name}': [0.8, 0.7, 1.0] for name in scores}
    scores |= {f'{name}/local_test/accuracy': spread for name in ('federated', 'best')}
    scores |= {'best/name': ['fine_tune'] * 3, 'is_held_out': [False] * 3}
    hparams = {'adaptation': ['fine_tune'], 'from_run': flags['from_run'], 'source': hparams}
  table = pd.DataFrame({'client_id': ['a', 'b', 'c'], **scores, **own})
  table.to_parquet(folder / 'clients.parquet')
  (folder / 'hparams.json').write_text(json.dumps(hparams))
  (folder / 'metrics.csv').write_text('round_num,method\n1,fedavg\n')
  (folder / 'summary.json').write_text(json.dumps({'rounds/fedavg': 1}))


class RunRobustnessTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path
    self.pool = _Pool()

  def _run(self, suite=testing.SUITE, rules=testing.RULES[:1]):
    return suites.RobustnessRun(
      suite,
      rules,
      self.folder,
      flags=('--rounds=1',),
      make_config=lambda pipeline, arguments: _Config(tuple(arguments)),
      pool=self.pool,
      num_repeats=2,
      search_repeats=1,
      search='neighbours',
    )

  def test_best_worst_case_is_repeated_and_adapted(self):
    cells = suites.run_robustness(self._run())
    found = [(cell.similarity, cell.num_byzantine) for cell in cells]
    self.assertEqual(found, [(1.0, 1), (1.0, 2), (0.5, 1), (0.5, 2)])
    for cell in cells:
      self.assertEqual((cell.point, cell.validation), ({'client_learning_rate': 2}, 0.45))
      self.assertEqual([len(cell.runs[attack]) for attack in 'ab'], [2, 2])
    own = [flags for flags in self.pool.run if flags.get('method') == 'local_only']
    self.assertEqual([flags['seed'] for flags in own], ['0', '1'] * 2)
    self.assertEqual({flags['local_only_epochs'] for flags in own}, {'7'})
    attacked = next(flags for flags in self.pool.run if 'attack' in flags)
    expected = {
      'malicious_share': repr(1 / 7),
      'num_clients': '7',
      'clients_per_round': '7',
      'similarity_gamma': '1',
      'aggregator': 'mean',
      'client_steps': '3',
      'rounds': '1',
    }
    self.assertEqual({name: attacked[name] for name in expected}, expected)
    adapted = [flags for flags in self.pool.run if 'from_run' in flags]
    self.assertLen(adapted, 4 * 2 * 2)
    for flags in adapted:
      seed = flags['from_run'][-1]
      self.assertEqual(os.path.basename(flags['local_only_from'])[-1], seed)
      self.assertEqual(flags['epochs'], '2')

    self.pool.run.clear()
    self.assertEqual(suites.run_robustness(self._run()), cells)
    self.assertEmpty(self.pool.run)

  def test_rules_that_survive_fewer_have_no_cell(self):
    cells = suites.run_robustness(self._run(rules=testing.RULES))
    found = [cell.num_byzantine for cell in cells if cell.rule.name == 'bulyan']
    self.assertEqual(found, [1, 1])
    flags = next(flags for flags in self.pool.run if flags.get('aggregator') == 'bulyan')
    self.assertEqual((flags['num_byzantine'], flags['pre_num_byzantine']), ('1', '1'))
    self.assertEqual(list(self._run(rules=testing.RULES).first_configs()), ['mean', 'bulyan'])

  def test_scores_of_honest_clients(self):
    cell = board.robustness_cells(suites.run_robustness(self._run()))[0]
    run = cell.runs['b'][1]
    self.assertEqual((list(run.before), list(run.after)), ([0.45, 0.25], [0.8, 0.7]))
    self.assertSequenceAlmostEqual(run.own, [0.6, 0.4])
    self.assertEqual(cell.about, 'client_learning_rate=2')

  def test_a_run_that_diverges_is_the_worst_case(self):
    self.pool.diverging = (('1', 'b'), ('2', 'b'))
    cell = board.robustness_cells(suites.run_robustness(self._run()))[0]
    self.assertEqual(cell.validation, 0.0)
    self.assertEqual(cell.about, 'client_learning_rate=1')
    run = cell.runs['b'][0]
    self.assertEqual((list(run.before), list(run.after)), ([0.0] * 3, [0.0] * 3))

  def test_other_failures_are_told(self):
    self.pool.failing = (('1', 'a'),)
    with self.assertRaisesRegex(suites.SuiteError, 'Mean: .*attack=a.* failed, see .*no more'):
      suites.run_robustness(self._run())


if __name__ == '__main__':
  absltest.main()
