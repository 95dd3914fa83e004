"""Robustness on MNIST, after ByzFL: rules, pre-aggregation and attacks of its benchmark.

20 clients, f of them malicious, are all in each round. Clients are alike to a degree gamma. Each
rule knows f. The attacks are those of ByzFL's benchmark, with strengths optimised against the
rule in use, and those of Shejwalkar and Houmansadr. ByzFL steps along one gradient of each client
with momentum; here a round is ten local steps.

Gonzalez et al. 2025, ByzFL: Research Framework for Robust Federated Learning, arXiv:2505.24802.
"""

from tff_lg.suites.robustness_suite import RobustnessEntry, RobustRule, register
from tff_lg.suites.search import SearchAxis

_RATE = SearchAxis('client_learning_rate', (0.01, 0.03, 0.1, 0.3), 0.1)
_RADIUS = SearchAxis('clipping_radius', (0.1, 1, 10), 1)
_MIXED = ('adaptive_clipping', 'nearest_neighbours')

register(
  RobustnessEntry(
    name='byzantine',
    label='Robustness in the worst case over attacks',
    data='folder of MNIST; digits of scikit-learn with --fast',
    flags={
      'task': 'mnist',
      'batch_size': '32',
      'client_steps': '10',
      'client_weighting': 'uniform',
    },
    fast_flags={'task': 'digits', 'num_clients': '7', 'batch_size': '16'},
    adapt_flags={'epochs': '5', 'learning_rate': '0.01,0.1'},
    own_flags={},
    num_clients=20,
    byzantine=(1, 3, 5, 7),
    similarities=(1.0, 0.66, 0.33, 0.0),
    rules=(
      RobustRule(name='mean', label='mean', aggregator='mean'),
      RobustRule(
        name='trimmed_mean',
        label='trimmed mean, NNM',
        aggregator='trimmed_mean',
        mixings=('nearest_neighbours',),
      ),
      RobustRule(
        name='trimmed_mean_arc',
        label='trimmed mean, ARC and NNM',
        aggregator='trimmed_mean',
        mixings=_MIXED,
      ),
      RobustRule(
        name='geometric_median',
        label='geometric median, ARC and NNM',
        aggregator='geometric_median',
        mixings=_MIXED,
      ),
      RobustRule(
        name='multi_krum', label='multi-Krum, ARC and NNM', aggregator='multi_krum', mixings=_MIXED
      ),
      RobustRule(
        name='minimum_diameter',
        label='minimum diameter, ARC and NNM',
        aggregator='minimum_diameter',
        mixings=_MIXED,
      ),
      RobustRule(
        name='mean_around_median',
        label='mean around median, ARC and NNM',
        aggregator='mean_around_median',
        mixings=_MIXED,
      ),
      RobustRule(
        name='centred_clipping',
        label='centred clipping, bucketing',
        aggregator='centred_clipping',
        mixings=('bucketing',),
        axes=(_RADIUS,),
      ),
      RobustRule(name='bulyan', label='Bulyan', aggregator='bulyan'),
      RobustRule(name='monna', label='MoNNA', aggregator='monna'),
    ),
    attacks=(
      'sign_flip',
      'optimised_little_is_enough',
      'optimised_inner_product',
      'mimic',
      'min_max',
      'min_sum',
    ),
    fast_size=(1, 1, 2),
    axes=(_RATE,),
    num_repeats=3,
    rounds=100,
  )
)
