r"""Measures how far verdicts can be trusted: simulated clients whose true differences are known.

    python -m benchmarks.verdicts

Each simulated client has two models with accuracies of its own, and test examples of shared
difficulty. So the models err on the same examples more often than by chance. Prints one row per
number of clients and of test examples. It has the share of clients called better or worse off, and
the share of these with the wrong sign. It has the share of 95 % intervals that contain the true
difference. It also has the share of clients worse off: true, counted and estimated.
"""

import warnings

import numpy as np
from absl import flags

from pipelines import launch
from tff_lg import verdicts

_CLIENTS = flags.DEFINE_list('clients', ['10', '100', '1000'], 'Numbers of clients.')
_EXAMPLES = flags.DEFINE_list('examples', ['10', '50', '500'], 'Numbers of test examples.')
_REPEATS = flags.DEFINE_integer('repeats', 20, 'Simulated studies per row.', lower_bound=1)
_GAIN = flags.DEFINE_float('gain', 0.05, 'Mean true difference of accuracy over clients.')
_SPREAD = flags.DEFINE_float('spread', 0.1, 'Its standard deviation over clients.')
_SEED = flags.DEFINE_integer('seed', 0, 'Seed of all draws.')

# Share of examples whose difficulty is the same for both models.
_SHARED = 0.7
_COLUMNS = (
  'clients',
  'examples',
  'judged',
  'wrong sign',
  'coverage',
  'truly worse',
  'counted worse',
  'estimate',
  'estimate coverage',
)


def simulate(
  num_clients: int, num_examples: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
  """Draws a study.

  Args:
    num_clients: how many clients.
    num_examples: test examples per client.
    rng: of all draws.

  Returns:
    The true differences, float64 [num_clients], and which examples each model has right, bool
    [num_clients, num_examples] each.
  """
  own = rng.beta(8, 3, num_clients)
  federated = np.clip(own + rng.normal(_GAIN.value, _SPREAD.value, num_clients), 0, 1)
  difficulty = rng.random((2, num_clients, num_examples))
  is_shared = rng.random((num_clients, num_examples)) < _SHARED
  other = np.where(is_shared, difficulty[0], difficulty[1])
  return federated - own, difficulty[0] < federated[:, None], other < own[:, None]


def measure(num_clients: int, num_examples: int) -> tuple[float, ...]:
  """Measures one row, the means over studies of what `_COLUMNS` names."""
  rows = []
  for repeat in range(_REPEATS.value):
    rng = np.random.default_rng([_SEED.value, num_clients, num_examples, repeat])
    truth, right, other_right = simulate(num_clients, num_examples, rng)
    table = verdicts.judge_accuracy(list(right), list(other_right))
    judged = (table['verdict'] != verdicts.Verdict.CANNOT_TELL).to_numpy()
    wrong = judged & (np.sign(truth) != np.sign(table['difference']))
    covered = (table['low'] <= truth) & (truth <= table['high'])
    wins, losses = table['wins'].to_numpy(), table['losses'].to_numpy()
    share = verdicts.estimate_share_worse(wins, losses, rng, 100)
    true_share = np.mean(truth < 0)
    rows.append(
      (
        judged.mean(),
        wrong.sum() / max(judged.sum(), 1),
        covered.mean(),
        true_share,
        np.mean(wins < losses),
        share.estimate,
        share.low <= true_share <= share.high,
      )
    )
  with warnings.catch_warnings():
    # Where too few models disagree no study has an estimate.
    warnings.simplefilter('ignore', RuntimeWarning)
    return tuple(np.nanmean(rows, axis=0))


def main() -> None:
  """Prints a row per number of clients and of test examples."""
  print('| ' + ' | '.join(_COLUMNS) + ' |\n|' + '---|' * len(_COLUMNS))
  for num_clients in map(int, _CLIENTS.value):
    for num_examples in map(int, _EXAMPLES.value):
      numbers = ' | '.join(
        f'{100 * value:.1f} %' if np.isfinite(value) else '–'
        for value in measure(num_clients, num_examples)
      )
      print(f'| {num_clients:,} | {num_examples} | {numbers} |', flush=True)


if __name__ == '__main__':
  launch.run(main)
