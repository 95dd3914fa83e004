"""Tests of the aggregator's options: defaults, contradictions, cohorts that are too small."""

from absl.testing import absltest, parameterized

from tff_lg import config
from tff_lg.config import TrainConfig

_DP = {'aggregator': 'dp_mean', 'noise_multiplier': 1.0}
_BANDED, _CYCLIC = {**_DP, 'dp_mechanism': 'banded'}, 'cyclic_poisson'


class AggregationOptionsTest(parameterized.TestCase):
  @parameterized.parameters(
    ('trimmed_mean', {'trimmed_share': 0.2, 'client_weighting': 'uniform'}),
    ('norm_bounded_mean', {'norm_bound': 1.0, 'client_weighting': 'examples'}),
    ('median', {'trimmed_share': None, 'client_weighting': 'uniform'}),
    ('mean', {'clip_norm': None, 'client_weighting': 'examples'}),
    # A cohort of 10 has 2 f + 3 clients for f = 3.
    ('krum', {'num_byzantine': 3, 'norm_bound': None}),
  )
  def test_defaults(self, aggregator, expected):
    resolved = config.resolve(TrainConfig(aggregator=aggregator))
    self.assertEqual({name: getattr(resolved, name) for name in expected}, expected)
    self.assertEqual(config.resolve(resolved), resolved)

  def test_defaults_of_privacy(self):
    resolved = config.resolve(TrainConfig(**_DP))
    self.assertEqual((resolved.clip_norm, resolved.dp_clipping), (1.0, 'fixed'))
    self.assertEqual(resolved.privacy_accountant, 'rdp')
    self.assertEqual((resolved.cohort_sampling, resolved.privacy_sampling), 2 * ('poisson',))
    fixed = config.resolve(TrainConfig(**_DP, cohort_sampling='fixed_size'))
    self.assertEqual(fixed.privacy_sampling, 'fixed_size')
    tree = config.resolve(TrainConfig(**_DP, dp_mechanism='tree', privacy_accountant='pld'))
    self.assertEqual((tree.cohort_sampling, tree.privacy_sampling), ('fixed_size', None))
    self.assertEqual(config.resolve(TrainConfig()).cohort_sampling, 'fixed_size')
    assumed = config.resolve(TrainConfig(**_DP, privacy_sampling='fixed_size'))
    self.assertEqual(assumed.cohort_sampling, 'fixed_size')
    for private in (resolved, fixed, tree):
      self.assertEqual(config.resolve(private), private)

  @parameterized.parameters(
    ({}, (4, 4)),
    ({'dp_bands': 3}, (3, 3)),
    ({'cohort_groups': 3}, (3, 3)),
    ({'dp_bands': 2, 'cohort_groups': 5}, (2, 5)),
    ({'num_clients': 20, 'clients_per_round': 8}, (2, 2)),
    ({'num_clients': 20, 'clients_per_round': 8, 'held_out_clients': 5}, (1, 1)),
  )
  def test_bands_and_groups(self, changes, expected):
    resolved = config.resolve(TrainConfig(**_BANDED, **changes))
    self.assertEqual((resolved.dp_bands, resolved.cohort_groups), expected)
    self.assertEqual((resolved.cohort_sampling, resolved.privacy_sampling), 2 * (_CYCLIC,))
    self.assertEqual(config.resolve(resolved), resolved)
    config.resolve(config.fast(TrainConfig(**_BANDED, **changes)))
    self.assertIsNone(config.as_baseline(resolved, 'local_only').dp_bands)

  @parameterized.parameters(
    ({**_BANDED, 'cohort_sampling': 'poisson'}, '--cohort_sampling is poisson, but .* cyclic_poi'),
    ({**_BANDED, 'privacy_sampling': 'poisson'}, '--privacy_sampling is poisson, but --dp_mechan'),
    ({**_BANDED, 'dp_bands': 4, 'cohort_groups': 3}, 'is 3, expected at least --dp_bands, 4'),
    ({**_BANDED, 'dp_bands': 11}, '--cohort_groups .or dp_bands. is 11, expected 1 to 10'),
    ({**_BANDED, 'dp_bands': 0}, '--dp_bands is 0, expected more than 0'),
    ({**_BANDED, 'dp_clipping': 'adaptive'}, '--dp_mechanism=banded clips to a fixed norm'),
    ({**_DP, 'dp_mechanism': 'laplace'}, 'is laplace, expected one of gaussian, tree, banded'),
    ({**_DP, 'dp_bands': 2}, '--dp_bands is given, but --dp_mechanism is gaussian: it belongs to'),
    ({'cohort_sampling': _CYCLIC}, 'cyclic_poisson needs --cohort_groups'),
    ({'cohort_groups': 2}, '--cohort_groups is given, but --cohort_sampling is fixed_size'),
    ({**_DP, 'cohort_sampling': _CYCLIC, 'privacy_sampling': 'poisson'}, 'does not fit --cohort'),
    ({'aggregator': 'krum', 'cohort_sampling': _CYCLIC}, 'cyclic_poisson does not promise'),
  )
  def test_refuses_of_cycles(self, changes, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(TrainConfig(**changes))

  def test_groups_that_only_the_data_tell(self):
    natural = config.resolve(TrainConfig(**_BANDED, partition='natural', clients_per_round=5))
    self.assertEqual(config.with_cohort(natural, 20, 0.1).cohort_groups, 4)
    with self.assertRaisesRegex(config.ConfigError, 'is 4, expected 1 to 3: groups of all 19'):
      config.with_cohort(natural, 19, 0.1)

  @parameterized.parameters(
    ({'trimmed_share': 0.1}, '--trimmed_share is given, but --aggregator is mean: it belongs to'),
    ({'aggregator': 'krum', 'norm_bound': 1.0}, 'it belongs to --aggregator=norm_bounded_mean'),
    ({'clip_norm': 1.0}, 'it belongs to --aggregator=dp_mean'),
    ({**_DP, 'adaptive_zeroing': True}, 'it belongs to --aggregator=mean, '),
    ({'server_learning_rate': float('inf')}, '--server_learning_rate is inf, expected a finite'),
    ({'secure_noise': True}, 'it belongs to --aggregator=dp_mean'),
    ({'aggregator': 'dp_mean'}, 'needs exactly one of .*, found none'),
    ({**_DP, 'dp_sigma': 0.01}, 'found --noise_multiplier and --dp_sigma'),
    ({**_DP, 'dp_mechanism': 'tree', 'dp_clipping': 'adaptive'}, 'clips to a fixed norm'),
    ({**_DP, 'dp_mechanism': 'tree', 'privacy_sampling': 'poisson'}, 'gains nothing from sampling'),
    ({**_DP, 'dp_mechanism': 'tree', 'warm_start_rounds': 2}, 'one tree for all rounds'),
    ({**_DP, 'privacy_accountant': 'pld', 'privacy_sampling': 'fixed_size'}, 'poisson sampling on'),
    ({**_DP, 'privacy_accountant': 'pld', 'cohort_sampling': 'fixed_size'}, 'poisson sampling on'),
    ({**_DP, 'privacy_sampling': 'fixed_size', 'cohort_sampling': 'poisson'}, 'does not fit'),
    ({'aggregator': 'krum', 'cohort_sampling': 'poisson'}, 'needs a number of clients'),
    ({'aggregator': 'secure_mean', 'cohort_sampling': 'poisson'}, 'needs a number of clients'),
    ({**_DP, 'dp_clipping': 'adaptive', 'client_dropout_rate': 0.5}, 'expected less than 0.5'),
    ({**_DP, 'secure_noise': True}, '--secure_noise needs 1'),
    ({'aggregator': 'dp_mean', 'dp_sigma': 0.1, 'dp_clipping': 'adaptive'}, 'use --noise_multip'),
    ({'aggregator': 'dp_mean', 'noise_multiplier': float('nan')}, '--noise_multiplier is nan'),
    ({**_DP, 'client_weighting': 'examples'}, '--aggregator=dp_mean weights all clients'),
    ({'aggregator': 'dp_mean', 'dp_sigma': 0.0}, '--dp_sigma is 0.0, expected more than 0'),
    ({'aggregator': 'trimmed_mean', 'trimmed_share': 0.5}, r'is 0.5, expected in \[0, 0.5\)'),
    ({**_DP, 'privacy_delta': 1.0}, r'--privacy_delta is 1.0, expected in \(0, 1\)'),
    ({'aggregator': 'krum', 'num_byzantine': 4}, '--clients_per_round is 10 and --num_byzantine'),
    ({'aggregator': 'multi_krum', 'clients_per_round': 2}, 'is 2 and --num_byzantine is not given'),
    ({'aggregator': 'bulyan', 'num_byzantine': 2}, 'clients of 4 f [+] 3 or more, but'),
    ({**_DP, 'pre_aggregation': ('bucketing',)}, 'dp_mean sees no single updates: it belongs to'),
    ({'pre_bucket_size': 3}, '--pre_bucket_size is given, but there is no --pre_aggregation'),
    ({'pre_aggregation': ('sorting',)}, '--pre_aggregation is sorting, expected one of'),
    (
      {'pre_aggregation': ('adaptive_clipping',), 'pre_num_byzantine': 5},
      '--clients_per_round is 10 and --pre_num_byzantine is 5',
    ),
    ({**_DP, 'attack': 'optimised_inner_product'}, 'against a rule: --aggregator is dp_mean'),
    ({'aggregator': 'median', 'method': 'local_only'}, 'sends nothing to aggregate'),
  )
  def test_refuses(self, changes, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(TrainConfig(**changes))

  def test_pre_aggregation(self):
    chosen = ('adaptive_clipping', 'bucketing')
    resolved = config.resolve(TrainConfig(aggregator='krum', pre_aggregation=chosen))
    self.assertEqual((resolved.num_byzantine, resolved.pre_num_byzantine), (3, 4))
    self.assertEqual((resolved.pre_bucket_size, resolved.pre_aggregation), (2, chosen))
    self.assertEqual(config.resolve(resolved), resolved)
    alone = config.as_baseline(resolved, 'local_only')
    self.assertEqual((alone.pre_aggregation, alone.pre_bucket_size), (None, None))
    self.assertIsNone(config.without_cohort(resolved)['pre_num_byzantine'])

  def test_cohort_that_only_the_data_tell(self):
    natural = config.resolve(TrainConfig(partition='natural', aggregator='krum'))
    self.assertIsNone(natural.num_byzantine)
    known = config.with_cohort(natural, 90, 0.1)
    self.assertEqual((known.clients_per_round, known.num_byzantine), (9, 3))
    with self.assertRaisesRegex(config.ConfigError, '--clients_per_round is 2 and'):
      config.with_cohort(natural, 20, 0.1)

  def test_cohort_larger_than_the_data(self):
    given = config.resolve(TrainConfig(partition='natural', clients_per_round=30))
    with self.assertRaisesRegex(config.ConfigError, 'is 30, but the data have 20 clients'):
      config.with_cohort(given, 20, 0.1)

  def test_local_baseline_meets_no_aggregator(self):
    private = config.resolve(TrainConfig(**_DP, attack='sign_flip', straggler_rate=0.5))
    alone = config.as_baseline(private, 'local_only')
    self.assertEqual(
      (alone.aggregator, alone.noise_multiplier, alone.clip_norm), ('mean',) + 2 * (None,)
    )
    self.assertEqual((alone.attack, alone.straggler_rate), (None, 0.0))
    self.assertEqual(config.as_baseline(private, 'fedavg').noise_multiplier, 1.0)

  @parameterized.parameters(*config.AGGREGATORS)
  def test_each_has_a_fast_run(self, aggregator):
    noise = {'noise_multiplier': 1.0} if aggregator == 'dp_mean' else {}
    config.resolve(config.fast(TrainConfig(aggregator=aggregator, **noise)))


if __name__ == '__main__':
  absltest.main()
