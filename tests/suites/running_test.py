"""Tests of running a suite on a pool that writes invented run folders at once."""

import dataclasses
import json
import os
import pathlib
from typing import NamedTuple

import pandas as pd
from absl.testing import absltest

from tff_lg import suites
from tff_lg.suites import board
from tff_lg.suites import suite as suite_lib

_RATE = suites.SearchAxis('rate', (1.0, 2.0, 4.0), 2.0)


@dataclasses.dataclass(frozen=True)
class _Config:
  arguments: tuple[str, ...]


class _Trial(NamedTuple):
  method: str
  rate: float
  seed: int


class _Pool:
  """Runs each job at once: the validation error is the distance of rate from 4, plus the seed."""

  num_workers = 1

  def __init__(self):
    self.run, self._done = [], []
    self.diverging = ()

  def start(self, job):
    flags = dict(flag[2:].split('=', 1) for flag in job.config.arguments)
    trial = _Trial(flags.get('method', 'adapt'), float(flags.get('rate', 0)), int(flags['seed']))
    self.run.append(trial)
    if trial in self.diverging:
      self._done.append((job, 'DivergenceError: it diverged.'))
      return
    _write(pathlib.Path(job.run_dir), trial, flags)
    self._done.append((job, None))

  def wait(self):
    return self._done.pop()


def _write(folder, trial, flags):
  folder.mkdir(parents=True)
  error = abs(trial.rate - 4) + trial.seed
  scores = {'local_test/mae': [error, error + 2], 'validation/mae': [error, error]}
  hparams = {'method': trial.method, 'task': 'school', 'objective': 'regression'}
  if trial.method == 'adapt':
    scores = {f'fine_tune/{name}': [1.0, 3.0] for name in scores}
    scores |= {f'{name}/local_test/mae': [1.0, 3.0] for name in ('federated', 'best')}
    scores['best/name'] = ['fine_tune'] * 2
    hparams = {'adaptation': ['fine_tune'], 'from_run': flags['from_run'], 'source': hparams}
  table = pd.DataFrame({'client_id': ['a', 'b'], **scores})
  table.to_parquet(folder / 'clients.parquet')
  (folder / 'hparams.json').write_text(json.dumps(hparams))
  (folder / 'metrics.csv').write_text(f'round_num,method\n1,{trial.method}\n')
  (folder / 'summary.json').write_text(json.dumps({'rounds/fedavg': 1}))


def _rows(*names):
  trained = [
    suites.SuiteMethod(name=name, label=name.title(), method=name, axes=(_RATE,)) for name in names
  ]
  adapted = suites.SuiteMethod(
    name='tuned', label='Tuned', adapts='fedavg', technique='fine_tune', flags={'epochs': '2'}
  )
  return (*trained, adapted)


class RunSuiteTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path
    self.pool = _Pool()

  def _suite_run(self, **changes):
    entry = suites.SuiteEntry(
      name='mine',
      label='Mine',
      data='nothing',
      flags={'task': 'school'},
      list_methods=lambda: _rows('fedavg'),
      axes=(_RATE,),
      scores_last_round=False,
      num_repeats=2,
      rounds=1,
      metric='mae',
      score=lambda errors: 10 * errors,
      score_label='ten errors',
      published={'fedavg': suite_lib.Published(1.0, 0.5)},
    )
    values = {'num_repeats': 2, 'search_repeats': 1, 'search': 'neighbours', **changes}
    return suites.SuiteRun(
      entry,
      self.folder,
      flags=('--rounds=1',),
      make_config=lambda pipeline, arguments: _Config(arguments=tuple(arguments)),
      pool=self.pool,
      **values,
    )

  def test_searches_on_first_repeats_then_repeats_the_best(self):
    fedavg, tuned = suites.run_suite(self._suite_run(), _rows('fedavg'))
    tried = [(trial.rate, trial.seed) for trial in self.pool.run if trial.method == 'fedavg']
    self.assertEqual(tried, [(2, 0), (1, 0), (4, 0), (8, 0), (4, 1)])
    self.assertEqual((fedavg.point, fedavg.num_points, fedavg.at_ends), ({'rate': 4.0}, 4, ()))
    self.assertLen(fedavg.runs, 2)
    self.assertEqual([os.path.basename(path) for path in fedavg.runs], list(_names(4)))
    self.assertEqual([os.path.basename(path) for path in tuned.runs], list(_names(4)))

  def test_all_repeats_decide_by_default(self):
    suites.run_suite(self._suite_run(search_repeats=2), _rows('fedavg')[:1])
    self.assertEqual([trial.seed for trial in self.pool.run], [0, 1] * 4)

  def test_again_runs_nothing(self):
    first = suites.run_suite(self._suite_run(), _rows('fedavg'))
    self.pool.run.clear()
    self.assertEqual(suites.run_suite(self._suite_run(), _rows('fedavg')), first)
    self.assertEmpty(self.pool.run)

  def test_a_point_that_diverges_is_the_worst(self):
    self.pool.diverging = (_Trial('fedavg', 4.0, 0),)
    (row,) = suites.run_suite(self._suite_run(), _rows('fedavg')[:1])
    self.assertEqual(row.point, {'rate': 2.0})
    # Never again, also not when the suite is resumed.
    self.assertEqual(self.pool.run.count(self.pool.diverging[0]), 1)
    self.assertEqual(suites.run_suite(self._suite_run(), _rows('fedavg')[:1]), (row,))
    self.assertEqual(self.pool.run.count(self.pool.diverging[0]), 1)

  def test_failures_are_told(self):
    self.pool.diverging = tuple(_Trial('fedavg', 2.0**k, 0) for k in range(-4, 8))
    with self.assertRaisesRegex(suites.SuiteError, 'Fedavg: no point .*it diverged'):
      suites.run_suite(self._suite_run(), _rows('fedavg'))
    self.folder = self.create_tempdir().full_path
    self.pool.diverging = (_Trial('fedavg', 4.0, 1),)
    with self.assertRaisesRegex(suites.SuiteError, 'Fedavg: repeat 1 failed, see .*it diverged'):
      suites.run_suite(self._suite_run(), _rows('fedavg'))

  def test_leaderboard_rows(self):
    run = self._suite_run()
    fedavg, tuned = board.leaderboard_rows(run, suites.run_suite(run, _rows('fedavg')))
    self.assertEqual(fedavg.about, 'rate=4')
    self.assertEqual(fedavg.published, (1.0, 0.5))
    self.assertEqual([list(scores.test) for scores in fedavg.runs], [[0, 20], [10, 30]])
    self.assertEqual([list(scores.validation) for scores in fedavg.runs], [[0, 0], [-10, -10]])
    self.assertEqual([list(scores.test) for scores in tuned.runs], [[10, 30]] * 2)
    unpublished = self._suite_run(is_published=False)
    rows = board.leaderboard_rows(unpublished, suites.run_suite(unpublished, _rows('fedavg')))
    self.assertIsNone(rows[0].published)


def _names(rate):
  return (f'rate={rate}__seed={seed}' for seed in range(2))


if __name__ == '__main__':
  absltest.main()
