"""Tests of what a grid's text means, and of what is refused."""

from absl.testing import absltest, parameterized

from tff_lg import sweeps
from tff_lg.sweeps import Axis, Layout


class AxisTest(parameterized.TestCase):
  @parameterized.parameters(
    ('model=dense,cgau', Axis('model', ('dense', 'cgau'))),
    ('--p = 0, 0.2', Axis('p', ('0', '0.2'))),
    ('layers=a,b;c', Axis('layers', ('a,b', 'c'))),
    ('one=1', Axis('one', ('1',))),
    ('file=a=b.npz', Axis('file', ('a=b.npz',))),
  )
  def test_parses(self, text, axis):
    self.assertEqual(sweeps.parse_axis(text), axis)

  @parameterized.parameters(
    ('model', '--grid=model is not an axis'),
    ('=1,2', 'is not an axis'),
    ('model=', 'has an empty value'),
    ('model=a,,b', 'has an empty value'),
    ('model=a,b,a', 'has a twice'),
    ('seed=1,2', 'give them by --seeds'),
  )
  def test_refuses(self, text, sentence):
    with self.assertRaisesRegex(sweeps.SweepError, sentence):
      sweeps.parse_axis(text)


class SeedsTest(parameterized.TestCase):
  @parameterized.parameters(
    ('0-3', (0, 1, 2, 3)), ('5', (5,)), ('0, 3,8-9', (0, 3, 8, 9)), ('2-2', (2,))
  )
  def test_parses(self, text, seeds):
    self.assertEqual(sweeps.parse_seeds(text), seeds)

  @parameterized.parameters(
    ('', "the part ''"),
    ('3-1', "the part '3-1'"),
    ('-1', "the part '-1'"),
    ('1.5', "the part '1.5'"),
    ('0-2,1', 'has 1 twice'),
  )
  def test_refuses(self, text, sentence):
    with self.assertRaisesRegex(sweeps.SweepError, sentence):
      sweeps.parse_seeds(text)

  def test_seed_for_all_trials_is_refused(self):
    sweeps.check_common(['--rounds=2', '--seeds=1'])
    for argument in ('--seed=3', '-seed=3', '--seed'):
      with self.assertRaisesRegex(sweeps.SweepError, f'^{argument} is given .* use --repeats.$'):
        sweeps.check_common(['--rounds=2', argument], 'repeats')


class TrialsTest(absltest.TestCase):
  def test_every_combination_seed_by_seed(self):
    axes = [Axis('p', ('0', '0.2')), Axis('model', ('dense', 'cgau'))]
    trials = sweeps.build_trials(axes, (3, 4))
    self.assertEqual(
      [trial.name for trial in trials],
      [
        f'p={p}__model={model}__seed={seed}'
        for seed in (3, 4)
        for p in ('0', '0.2')
        for model in ('dense', 'cgau')
      ],
    )
    self.assertEqual(trials[0].arguments, ('--p=0', '--model=dense', '--seed=3'))

  def test_names_are_names_of_folders(self):
    (trial,) = sweeps.build_trials([Axis('file', ('a/b c.npz',))], (0,))
    self.assertEqual(trial.name, 'file=a-b-c.npz__seed=0')
    self.assertEqual(trial.arguments[0], '--file=a/b c.npz')

  def test_long_names_differ(self):
    long = 'x' * 300
    trials = sweeps.build_trials([Axis('file', (long + 'a', long + 'b'))], (0,))
    self.assertLen({trial.name for trial in trials}, 2)
    self.assertLess(max(len(trial.name) for trial in trials), 250)

  def test_refuses(self):
    for axes, sentence in (
      ([], '--grid is missing'),
      ([Axis('p', ('0',)), Axis('p', ('1',))], '--grid has p twice'),
      ([Axis('p', ('a/b', 'a-b'))], 'as names of folders, has p=a-b__seed=0 twice'),
    ):
      with self.assertRaisesRegex(sweeps.SweepError, sentence):
        sweeps.build_trials(axes, (0,))


class LayoutTest(absltest.TestCase):
  AXES = (Axis('model', ('a', 'b')), Axis('p', ('0', '1')), Axis('rate', ('1', '2')))

  def test_defaults(self):
    self.assertEqual(sweeps.choose_layout(self.AXES, None, ()), Layout('p', ('model', 'rate')))
    self.assertEqual(sweeps.choose_layout(self.AXES[:1], None, ()), Layout('model', ()))
    one_value = (Axis('rounds', ('5',)), *self.AXES[:1])
    self.assertEqual(sweeps.choose_layout(one_value, None, ()), Layout('model', ()))
    self.assertEqual(sweeps.choose_layout(one_value[:1], None, ()), Layout('rounds', ()))

  def test_series_are_not_on_the_x_axis(self):
    self.assertEqual(
      sweeps.choose_layout(self.AXES, None, ('p', 'model')), Layout('rate', ('p', 'model'))
    )

  def test_chosen(self):
    self.assertEqual(
      sweeps.choose_layout(self.AXES, 'rate', ('p', 'model'), heat_map=True),
      Layout('rate', ('p', 'model')),
    )

  def test_refuses(self):
    for axes, x_axis, series, heat_map, sentence in (
      (self.AXES, 'q', (), False, '--x_axis is q, expected an axis of the grid: model, p, rate'),
      (self.AXES, 'p', ('q',), False, '--series is q'),
      (self.AXES, 'p', ('p', 'model', 'rate'), False, '--series has p, which is the --x_axis'),
      (self.AXES, 'p', ('model',), False, '--series leaves out rate'),
      (self.AXES[:1], None, (), True, '--heat_map needs two axes'),
    ):
      with self.assertRaisesRegex(sweeps.SweepError, sentence):
        sweeps.choose_layout(axes, x_axis, series, heat_map=heat_map)


if __name__ == '__main__':
  absltest.main()
