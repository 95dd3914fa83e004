"""Tests of the parts of an advice."""

from absl.testing import absltest, parameterized

from tff_lg import config as config_lib
from tff_lg.experiments import advise_config
from tff_lg.experiments.advise_config import AdviseOptions

_OPTIONS = AdviseOptions()


def _parts(options=_OPTIONS, num_layers=4, **changes):
  base = advise_config.base_config(config_lib.TrainConfig(**changes), options)
  return advise_config.list_parts(base, options, num_layers)


class PartsTest(parameterized.TestCase):
  def test_plain(self):
    parts = _parts(rounds=20, warm_start_rounds=10)
    shares = ['lg_fedavg_0.25', 'lg_fedavg_0.5', 'lg_fedavg_0.75']
    self.assertCountEqual(parts, ['local_only', 'fedavg', *shares, 'ditto'])
    for name, part in parts.items():
      self.assertEqual(part.total_rounds, 30, name)
      self.assertEqual(part.baselines, (), name)
    self.assertEqual(parts['lg_fedavg_0.5'].warm_start_rounds, 10)
    self.assertEqual(parts['lg_fedavg_0.5'].local_layer_share, 0.5)
    self.assertTrue(parts['local_only'].trains_to_best)

  def test_shares_that_split_alike_are_one(self):
    # Of two layers a quarter is half a layer, rounded up; three quarters are both.
    self.assertLen([name for name in _parts(num_layers=2) if 'lg_' in name], 1)
    # Of three, one half and three quarters are two layers.
    parts = _parts(num_layers=3)
    self.assertEqual([n for n in parts if 'lg_' in n], ['lg_fedavg_0.25', 'lg_fedavg_0.5'])
    # Nothing to split.
    self.assertIn('lg_fedavg', _parts(num_layers=1))

  def test_layers_by_name_are_one_part(self):
    parts = _parts(global_layers=('output',))
    self.assertEqual(parts['lg_fedavg'].global_layers, ('output',))

  def test_private_and_attacked_forms_stand_beside_plain_ones(self):
    parts = _parts(AdviseOptions(methods=('fedavg',)), aggregator='median', attack='sign_flip')
    self.assertCountEqual(parts, ['local_only', 'fedavg', 'fedavg_plain'])
    self.assertEqual((parts['fedavg'].aggregator, parts['fedavg'].attack), ('median', 'sign_flip'))
    plain = parts['fedavg_plain']
    self.assertEqual((plain.aggregator, plain.attack), ('mean', None))
    self.assertEqual(parts['local_only'].aggregator, 'mean')

  @parameterized.parameters(
    ({'methods': ('local_only',)}, '--methods is local_only, expected some of '),
    ({'methods': ('fedavg', 'fedavg')}, 'each once'),
    ({'methods': ()}, '--methods is empty'),
    ({'local_layer_shares': (1.0,)}, r'--local_layer_shares has 1, expected shares in \(0, 1\)'),
    ({'local_layer_shares': ()}, '--local_layer_shares is empty'),
    ({'adaptation': ('guessing',)}, '--adaptation is guessing, expected some of'),
    ({'adaptation_epochs': 0}, '--adaptation_epochs is 0, expected 1 or more'),
  )
  def test_refuses_options(self, changes, sentence):
    with self.assertRaisesRegex(config_lib.ConfigError, sentence):
      AdviseOptions(**changes)

  @parameterized.parameters(
    ({'protocol': 'reference'}, '--protocol is reference, expected validation'),
    ({'optimistic_choice_on_test_data': True}, 'but validation data choose the models'),
    ({'max_evaluated_clients': 3}, '--max_evaluated_clients leaves clients without scores'),
    (
      {'local_layer_share': 0.5},
      '--local_layer_share belongs to a single run; use --local_layer_shares',
    ),
    ({'rounds': 0}, '--rounds is 0, expected more than 0'),
  )
  def test_refuses_configs(self, changes, sentence):
    with self.assertRaisesRegex(config_lib.ConfigError, sentence):
      _parts(**changes)


if __name__ == '__main__':
  absltest.main()
