"""Tests that what docs/PROTOCOL.md names can be run: the flags fit each other."""

import contextlib
import pathlib
import re
import shlex

import attrs
from absl import flags
from absl.testing import absltest, flagsaver

from pipelines import config_flags, fair_flags
from tff_lg import config as config_lib
from tff_lg import sweeps
from tff_lg.experiments import fair_config

_ROOT = pathlib.Path(__file__).parents[2]


def _commands(pipeline):
  """Returns the arguments of the page's commands of a pipeline."""
  text = (_ROOT / 'docs' / 'PROTOCOL.md').read_text(encoding='utf-8').replace('\\\n', ' ')
  return [
    shlex.split(re.sub(r'\$\(.*?\)|<[^>]*>', 'folder', line))
    for line in re.findall(rf'^    python -m pipelines\.{pipeline} (.*)$', text, re.MULTILINE)
  ]


class ConfigsTest(absltest.TestCase):
  def test_sweeps(self):
    numbers = []
    for arguments in _commands('sweep'):
      own, common = arguments[: arguments.index('--')], arguments[arguments.index('--') + 1 :]
      pairs = [flag.removeprefix('--').split('=', 1) for flag in own]
      axes = [sweeps.parse_axis(value) for name, value in pairs if name == 'grid']
      values = dict(pairs)
      trials = sweeps.build_trials(axes, sweeps.parse_seeds(values['seeds']))
      sweeps.choose_layout(axes, values['x_axis'], ())
      common.insert(0, f'--flagfile={values["flagfile_of_trials"]}')
      of_one_seed = [trial for trial in trials if trial.seed == 0]
      with contextlib.chdir(_ROOT):
        for extra in ([], ['--fast']):
          # Fast, 400 and 800 rounds of warm start are the same: the page says one of them.
          kept = [t for t in of_one_seed if not extra or not re.search('lg_(800|1800)', t.name)]
          configs = {
            trial.name: config_flags.parse([*common, *extra, *trial.arguments]) for trial in kept
          }
          self.assertEqual({config.baselines for config in configs.values()}, {()})
          folder = sweeps.SweepFolder(self.create_tempdir().full_path + '/sweep')
          folder.claim('train', axes, kept, configs)
      numbers.append(len(trials))
    # 4, 5 and 3 methods; 5, 5 and 2 partitions; 3 seeds.
    self.assertEqual(numbers, [60, 75, 18])

  def test_vqa(self):
    with contextlib.chdir(_ROOT):
      for name, rounds in (('fedavg', (0, 49)), ('lg_fedavg', (32, 17))):
        files = (f'--flagfile=pipelines/configs/vqa{suffix}.flags' for suffix in ('', f'_{name}'))
        config = config_flags.parse([*files, '--data_dir=folder', '--embeddings=file'])
        self.assertEqual((config.warm_start_rounds, config.rounds), rounds)
        self.assertEqual((config.task, config.method, config.baselines), ('vqa', name, ()))

  def test_adaptive_servers(self):
    rules = {
      'fedadam': ('adam', 0.01, {'beta_1': 0.9, 'beta_2': 0.99, 'epsilon': 1e-3}),
      'fedyogi': (
        'yogi',
        0.01,
        {'beta_1': 0.9, 'beta_2': 0.99, 'epsilon': 1e-3, 'initial_accumulator': 0.0},
      ),
      'fedadagrad': ('adagrad', 0.1, {'epsilon': 1e-6, 'initial_accumulator': 0.0}),
    }
    with contextlib.chdir(_ROOT):
      for name, (optimizer, rate, options) in rules.items():
        names = ('mnist_fedavg', name)
        files = [f'--flagfile=pipelines/configs/{each}.flags' for each in names]
        for extra in ([], ['--fast'], ['--method=lg_fedavg', '--warm_start_rounds=2']):
          config = config_flags.parse([*files, '--data_dir=folder', *extra])
          self.assertEqual(
            (config.server_optimizer, config.server_learning_rate), (optimizer, rate)
          )
          found = attrs.asdict(config_lib.optimizer(config, 'server'))
          self.assertEqual(found, options | {'gradient_clip_norm': None})
          self.assertEqual((config.client_optimizer, config.client_momentum), ('sgd', 0.0))

  def test_adapt(self):
    ((*arguments, run_dir),) = _commands('adapt')
    self.assertEqual(run_dir, '--run_dir=folder')
    with contextlib.chdir(_ROOT):
      config = config_flags.parse(
        arguments,
        config_lib.AdaptConfig,
        lambda holders: config_flags.read_as(
          config_lib.AdaptConfig, holders, config_lib.fast_adapt
        ),
      )
    config = config_lib.resolve_adapt(config, config_lib.resolve(config_lib.TrainConfig()))
    rate = {'learning_rate': 0.001}
    expected = {
      'fine_tune': rate,
      'freeze_base': rate,
      'ewc': {**rate, 'ewc_strength': 5000},
      'distillation': {**rate, 'distillation_alpha': 0.95, 'distillation_temperature': 6},
    }
    self.assertEqual(
      {name: config.settings(name) for name in config.adaptation},
      {name: (setting,) for name, setting in expected.items()},
    )
    self.assertEqual((config.epochs, config.fisher, config.fisher_batch_size), (200, 'batch', 100))

  def test_vqa_as_published(self):
    files = (f'--flagfile=pipelines/configs/vqa{name}.flags' for name in ('', '_published'))
    with contextlib.chdir(_ROOT):
      config = config_flags.parse([*files, '--data_dir=folder', '--embeddings=file'])
    self.assertEqual((config.partition, config.dirichlet_alpha), ('dirichlet', 0.9))
    self.assertEqual((config.channel_layers, config.num_answers), (1, 999))

  def test_new_device(self):
    ((*arguments, run_dir),) = _commands('new_device')
    self.assertEqual(run_dir, '--run_dir=folder')
    with contextlib.chdir(_ROOT):
      config = config_flags.parse(
        arguments,
        config_lib.NewDeviceConfig,
        lambda holders: config_flags.read_as(
          config_lib.NewDeviceConfig, holders, config_lib.fast_new_device
        ),
      )
    self.assertEqual((config.rounds, config.from_run), (500, ('folder',)))

  def test_fair(self):
    ((*arguments, run_dir),) = _commands('fair')
    self.assertEqual(run_dir, '--run_dir=folder')
    with contextlib.chdir(_ROOT), flagsaver.flagsaver():
      flags.FLAGS(['fair', *arguments])
      values = fair_flags.read()
    self.assertEqual(
      values,
      {
        'data_dir': 'folder',
        'lambdas': (1, 3, 10, 30),
        'seeds': (0, 1, 2),
        'partitions': ('iid', 'non_iid'),
        'num_clients': 10,
        'train_rows': 15_000,
        'pretrain_epochs': 10,
        'rounds': 10,
        'local_budget': 'best',
        'own_models': ('network', 'linear'),
        'local_only_epochs': 200,
        'local_only_patience': 20,
        'local_only_learning_rate': None,
        'client_epochs': 1,
        'halve_rows': False,
        'adversary_dropout_rate': 0.0,
        'methods': ('local_only', 'fedavg', 'lg_fedavg'),
        'hidden_units': (32, 32, 32, 32),
      },
    )

  def test_fair_as_published(self):
    for name, rounds, epochs in (('fedavg', 50, 10), ('lg_fedavg', 10, 1)):
      with flagsaver.flagsaver():
        file = _ROOT / 'pipelines' / 'configs' / f'adult_fair_{name}.flags'
        flags.FLAGS(['fair', f'--flagfile={file}', '--data_dir=folder'])
        values = fair_flags.read()
      config = fair_config.FairConfig(**values)
      self.assertEqual((config.rounds, config.client_epochs), (rounds, epochs))
      self.assertEqual((config.halve_rows, config.adversary_dropout_rate), (True, 0.2))


if __name__ == '__main__':
  absltest.main()
