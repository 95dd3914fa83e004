"""Tests of what a sweep folder holds, and of when it is refused."""

import dataclasses
import json
import os
import pathlib

from absl.testing import absltest

from tff_lg import checksums, sweeps


@dataclasses.dataclass(frozen=True)
class _Config:
  p: float
  seed: int
  layers: tuple[str, ...] = ('a',)
  actors: int = 1


_ALLOWED = sweeps.Changes(open_names=('actors',))


class SweepFolderTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = sweeps.SweepFolder(self.create_tempdir().full_path + '/sweep')

  def _claim(self, grid='p=0,0.5', seeds='0-1', pipeline='train', allowed=_ALLOWED, **changes):
    axes = [sweeps.parse_axis(grid)]
    trials = sweeps.build_trials(axes, sweeps.parse_seeds(seeds))
    configs = {
      trial.name: _Config(float(trial.values[0][1]), trial.seed, **changes) for trial in trials
    }
    self.folder.claim(pipeline, axes, trials, configs, allowed)

  def _begin(self, trial='p=0__seed=0'):
    os.makedirs(self.folder.run_dir(trial))

  def _text(self):
    with open(os.path.join(self.folder.path, 'sweep.json'), encoding='utf-8') as file:
      return file.read()

  def _definition(self):
    return json.loads(self._text())

  def test_definition(self):
    self._claim(seeds='7')
    self.assertEqual(
      self._definition(),
      {
        'pipeline': 'train',
        'axes': {'p': ['0', '0.5']},
        'trials': {
          f'p={p}__seed=7': {
            'values': {'p': p},
            'seed': 7,
            'config': {'p': float(p), 'seed': 7, 'layers': ['a'], 'actors': 1},
          }
          for p in ('0', '0.5')
        },
      },
    )

  def test_places(self):
    self.assertEqual(self.folder.run_dir('t'), f'{self.folder.path}/trials/t')
    self.assertEqual(self.folder.log_path('t'), f'{self.folder.path}/logs/t.log')

  def test_complete_with_a_summary(self):
    self.assertFalse(self.folder.is_complete('t'))
    os.makedirs(self.folder.run_dir('t'))
    self.assertFalse(self.folder.is_complete('t'))
    with open(f'{self.folder.run_dir("t")}/summary.json', 'w', encoding='utf-8') as file:
      file.write('{}')
    self.assertTrue(self.folder.is_complete('t'))

  def test_same_again_and_more(self):
    self.assertFalse(self.folder.is_claimed)
    self._claim()
    self.assertTrue(self.folder.is_claimed)
    before = self._text()
    self._claim()
    self.assertEqual(self._text(), before)
    before = self._definition()
    self._claim()
    self.assertEqual(self._definition()['trials'], before['trials'])
    self._claim(grid='p=0.5,1', seeds='0-2')
    self.assertLen(self._definition()['trials'], 6)
    self.assertCountEqual(self._definition()['earlier_trials'], ['p=0__seed=0', 'p=0__seed=1'])

  def test_what_has_no_effect_and_trials_not_begun_may_change(self):
    self._claim()
    self._begin()
    self._claim(actors=2)
    with self.assertRaisesRegex(sweeps.SweepError, 'layers of trial p=0__seed=0'):
      self._claim(layers=('b',))
    self._claim(grid='p=0.5', layers=('b',))
    configs = [trial['config'] for trial in self._definition()['trials'].values()]
    self.assertEqual([config['layers'] for config in configs], [['b'], ['b']])

  def test_jobs_are_of_trials_that_are_not_complete(self):
    self._begin('p=0__seed=0')
    with open(f'{self.folder.run_dir("p=0__seed=0")}/summary.json', 'w', encoding='utf-8'):
      pass
    (job,) = self.folder.jobs_left({'p=0__seed=0': 1, 'p=1__seed=0': 2})
    self.assertEqual((job.name, job.config), ('p=1__seed=0', 2))
    self.assertEqual(job.run_dir, self.folder.run_dir('p=1__seed=0'))

  def test_complete_trial_with_a_damaged_file_has_a_job(self):
    for trial in ('whole', 'damaged'):
      run_dir = self.folder.run_dir(trial)
      os.makedirs(run_dir)
      pathlib.Path(run_dir, 'metrics.csv').write_text('1')
      checksums.write(run_dir, '{}')
      pathlib.Path(run_dir, 'summary.json').write_text('{}')
    pathlib.Path(self.folder.run_dir('damaged'), 'metrics.csv').write_text('2')
    jobs = self.folder.jobs_left({'whole': 1, 'damaged': 2})
    self.assertEqual([job.name for job in jobs], ['damaged'])

  def test_trials_resume_with_changes_that_their_pipeline_allows(self):
    self._claim(actors=1)
    for trial, names in (('p=0__seed=0', ['summary.json', 'x']), ('p=0.5__seed=0', ['x'])):
      self._begin(trial)
      for name in names:
        with open(f'{self.folder.run_dir(trial)}/{name}', 'w', encoding='utf-8'):
          pass
    asked = []

    def may_change(run_dir, config, differences):
      asked.append((os.path.basename(run_dir), config.layers, differences))
      return {'layers'}

    self.assertTrue(self.folder.is_complete('p=0__seed=0'))
    changes = {'layers': (['a'], ['b'])}
    with self.assertRaisesRegex(sweeps.SweepError, 'layers of trial p=0__seed=0 was'):
      self._claim(layers=('b',))
    self.assertTrue(self.folder.is_complete('p=0__seed=0'))
    self._claim(allowed=dataclasses.replace(_ALLOWED, may_change=may_change), layers=('b',))
    self.assertEqual(asked, [(name, ('b',), changes) for name in ('p=0__seed=0', 'p=0.5__seed=0')])
    self.assertFalse(self.folder.is_complete('p=0__seed=0'))
    self.assertEqual(os.listdir(self.folder.run_dir('p=0__seed=0')), ['x'])
    self.assertEqual(self._definition()['trials']['p=0__seed=0']['config']['layers'], ['b'])

  def test_option_that_a_trial_is_too_old_to_know(self):
    def complete(found, config):
      self.assertIsInstance(config, _Config)
      return {'layers': ['a'], **found}

    self._claim()
    self._begin()
    old = self._definition()
    del old['trials']['p=0__seed=0']['config']['layers']
    with open(os.path.join(self.folder.path, 'sweep.json'), 'w', encoding='utf-8') as file:
      json.dump(old, file)
    with self.assertRaisesRegex(sweeps.SweepError, r"layers .* was None, now \['a'\]"):
      self._claim()
    allowed = dataclasses.replace(_ALLOWED, complete=complete)
    with self.assertRaisesRegex(sweeps.SweepError, r"layers .* was \['a'\], now \['b'\]"):
      self._claim(allowed=allowed, layers=('b',))
    self._claim(allowed=allowed)
    self.assertEqual(self._definition()['trials']['p=0__seed=0']['config']['layers'], ['a'])

  def test_other_definitions_are_refused(self):
    self._claim()
    self._begin()
    before = self._definition()
    for change, sentence in (
      ({'layers': ('b',)}, r"layers of trial p=0__seed=0 was \['a'\], now \['b'\]"),
      ({'pipeline': 'xor'}, 'the pipeline was train, now xor'),
      ({'grid': 'q=0,1'}, 'the grid was over p, now over q'),
    ):
      with self.assertRaisesRegex(sweeps.SweepError, sentence):
        self._claim(**change)
    self.assertEqual(self._definition(), before)

  def test_trials_left_out_in_between_are_still_known(self):
    self._claim()
    self._begin()
    self._claim(grid='p=1')
    with self.assertRaisesRegex(sweeps.SweepError, 'layers of trial p=0__seed=0'):
      self._claim(layers=('b',))

  def test_values_that_are_the_same_are_refused(self):
    with self.assertRaisesRegex(sweeps.SweepError, 'p=0.5__seed=0 and p=.5__seed=0'):
      self._claim(grid='p=0.5,.5')
    self.assertFalse(os.path.exists(self.folder.path))

  def test_folder_of_something_else_is_refused(self):
    os.makedirs(self.folder.path)
    with open(f'{self.folder.path}/thesis.tex', 'w', encoding='utf-8') as file:
      file.write('years of work')
    with self.assertRaisesRegex(sweeps.SweepError, 'is not empty and holds no sweep'):
      self._claim()
    self.assertEqual(os.listdir(self.folder.path), ['thesis.tex'])

  def test_damaged_definition_is_named(self):
    os.makedirs(self.folder.path)
    for content in (
      '{"trials": ',
      '[1]',
      'null',
      '{"a": 1}',
      '{"pipeline": "train", "axes": {}, "trials": [1]}',
      '{"pipeline": "train", "axes": {}, "trials": {"a": 1}}',
      '{"pipeline": "train", "axes": {}, "trials": {"a": {"config": 1}}}',
      '{"pipeline": "train", "axes": 1, "trials": {}}',
      '{"pipeline": "train", "axes": {}, "trials": {}, "earlier_trials": {"a": {}}}',
    ):
      with open(f'{self.folder.path}/sweep.json', 'w', encoding='utf-8') as file:
        file.write(content)
      with self.assertRaisesRegex(sweeps.SweepError, 'sweep.json is damaged .*: put back a copy'):
        self._claim()


if __name__ == '__main__':
  absltest.main()
