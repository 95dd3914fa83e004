"""Tests of running a suite of robustness on a pool that writes invented run folders at once."""

import dataclasses
import json
import os
import pathlib

import pandas as pd
from absl.testing import absltest, parameterized

from tff_lg import aggregators, attacks, suites, sweeps
from tff_lg.suites import board

# Validation accuracy by rate and attack: rate 2 has the best worst case, not the best mean.
_ACCURACY = {('1', 'a'): 0.9, ('1', 'b'): 0.3, ('2', 'a'): 0.5, ('2', 'b'): 0.45}


@dataclasses.dataclass(frozen=True)
class _Config:
  arguments: tuple[str, ...]


def _may_change(run_dir, config, changes):
  """Returns nothing; as `changed_settings.may_change`, it knows configs of training alone."""
  del run_dir, changes
  if any(flag.startswith('--from_run') for flag in config.arguments):
    raise AttributeError('An adaptation is no training.')
  return ()


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


_RULES = (
  suites.RobustRule(name='mean', label='Mean', aggregator='mean'),
  suites.RobustRule(
    name='bulyan', label='Bulyan', aggregator='bulyan', mixings=('nearest_neighbours',)
  ),
)
_SUITE = suites.RobustnessEntry(
  name='mine',
  label='Mine',
  data='nothing',
  flags={'task': 'digits', 'client_steps': '3'},
  fast_flags={'num_clients': '5', 'client_steps': '1'},
  adapt_flags={'epochs': '2'},
  own_flags={'local_only_epochs': '7'},
  num_clients=7,
  byzantine=(1, 2),
  similarities=(1.0, 0.5),
  rules=_RULES,
  attacks=('a', 'b'),
  fast_size=(1, 1, 1),
  axes=(suites.SearchAxis('client_learning_rate', (1, 2), 1, grows=False),),
  num_repeats=2,
  rounds=1,
)


class NarrowedTest(parameterized.TestCase):
  def test_some_of_the_values(self):
    axes = [sweeps.Axis('similarity', ('0.5', '1')), sweeps.Axis('attack', ('b',))]
    found = _SUITE.narrowed(axes)
    self.assertEqual(
      (found.byzantine, found.similarities, found.attacks), ((1, 2), (0.5, 1.0), ('b',))
    )
    self.assertEqual(_SUITE.narrowed([]), _SUITE)

  @parameterized.parameters(
    ([('attack', ('c',))], r'^--grid=attack=c: expected some of a, b\.$'),
    ([('byzantine', ('1', '3'))], r'^--grid=byzantine=3: expected some of 1, 2\.$'),
    ([('rule', ('mean',))], r'^--grid has rule, expected some of byzantine, similarity, attack'),
    ([('attack', ('a',)), ('attack', ('b',))], 'each once'),
  )
  def test_refuses(self, axes, message):
    with self.assertRaisesRegex(ValueError, message):
      _SUITE.narrowed([sweeps.Axis(*axis) for axis in axes])


class RunRobustnessTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path
    self.pool = _Pool()

  def _run(self, suite=_SUITE, rules=_RULES[:1]):
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
      may_change=_may_change,
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
    cells = suites.run_robustness(self._run(rules=_RULES))
    found = [cell.num_byzantine for cell in cells if cell.rule.name == 'bulyan']
    self.assertEqual(found, [1, 1])
    flags = next(flags for flags in self.pool.run if flags.get('aggregator') == 'bulyan')
    self.assertEqual((flags['num_byzantine'], flags['pre_num_byzantine']), ('1', '1'))
    self.assertEqual(list(self._run(rules=_RULES).first_configs()), ['mean', 'bulyan'])

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

  def test_small(self):
    small = _SUITE.small()
    self.assertEqual((small.num_clients, small.flags['client_steps']), (5, '1'))
    self.assertEqual((small.byzantine, small.similarities, small.attacks), ((1,), (0.5,), ('a',)))

  @parameterized.parameters(('krum',), ('mean', 'mean'))
  def test_rules_that_are_not_there(self, *chosen):
    with self.assertRaisesRegex(ValueError, f'--methods is {",".join(chosen)}, expected some of'):
      _SUITE.choose_methods(chosen)


class ByzantineTest(absltest.TestCase):
  def test_every_rule_and_attack_is_there(self):
    suite = suites.ROBUSTNESS_SUITES['byzantine']
    self.assertContainsSubset(suite.attacks, attacks.ATTACKS)
    for rule in suite.rules:
      self.assertIn(rule.aggregator, aggregators.AGGREGATORS)
      self.assertContainsSubset(rule.mixings, aggregators.PRE_AGGREGATORS)
      self.assertIsNotNone(rule.flags(suite.byzantine[0], suite.num_clients))
    self.assertIsNone(suite.rules[-2].flags(5, 20))


if __name__ == '__main__':
  absltest.main()
