"""A generated corpus of texts with mood scores: synthetic, says nothing of real moods.

For each word that signals mood, the value for a user is

  u = sqrt(1 - D) v + sqrt(D) r,   v, r ~ N(0, 1),

with v common to all users and r the user's own. The variance of a word's value between users, the
device variance, is D. The total variance is 1 for every D. A text has three such words among
others. Its score is 100 Phi(z), with z = sqrt(0.9) m + sqrt(0.1) e. Here m is the sum of the words'
values over the square root of their squared counts, and e ~ N(0, 1) is noise. So scores are spread
over [0, 100] whatever D is, the same for a user and for all.

Whatever D is, users also differ in the words that they like, the signals among them. That is a
shift of their words, not of the words' meaning.
"""

import numpy as np

from tff_lg.data import mood_files

_SIGNALS = (
  'tired happy alone party homework sunshine rain music bored excited worried calm late dinner '
  'angry weekend'
).split()
_OTHERS = (
  'i am so today at the school with my friend and it was really just now home then again maybe '
  'going to see you know what'
).split()
_SIGNALS_A_TEXT, _OTHERS_A_TEXT = 3, 5
_NOISE = 0.1
_LEAST_SAMPLES = 10


def generate_scored_texts(
  num_users: int = 14, num_samples: int = 572, device_variance: float = 0.25, seed: int = 0
) -> dict[str, mood_files.ScoredTexts]:
  """Generates the texts of each user.

  Args:
    num_users: how many users.
    num_samples: texts of all users, ten or more of each.
    device_variance: D in [0, 1], of a word's value between users.
    seed: the same seed, the same texts; with another D only the scores differ.

  Returns:
    By user `user_00`, ..., texts of eight words and scores in [0, 100].

  The sizes are those of the paper's data: Liang et al. 2020, mood prediction.
  """
  from scipy import special

  rng = np.random.default_rng(seed)
  width = len(str(num_users - 1))
  shares = rng.dirichlet(np.full(num_users, 3.0))
  sizes = _LEAST_SAMPLES + rng.multinomial(num_samples - _LEAST_SAMPLES * num_users, shares)
  common = rng.normal(size=len(_SIGNALS))
  users = {}
  for user, size in enumerate(sizes):
    own = rng.normal(size=len(_SIGNALS))
    values = np.sqrt(1 - device_variance) * common + np.sqrt(device_variance) * own
    signals = rng.choice(len(_SIGNALS), (size, _SIGNALS_A_TEXT), p=_liking(rng, len(_SIGNALS)))
    others = rng.choice(len(_OTHERS), (size, _OTHERS_A_TEXT), p=_liking(rng, len(_OTHERS)))
    # A word that comes twice counts twice, which alone would spread the scores further.
    counts = (signals[:, :, np.newaxis] == np.arange(len(_SIGNALS))).sum(axis=1)
    mood = counts @ values / np.sqrt((counts**2).sum(axis=1))
    mood = np.sqrt(1 - _NOISE) * mood + np.sqrt(_NOISE) * rng.normal(size=size)
    words = np.concatenate([np.array(_SIGNALS)[signals], np.array(_OTHERS)[others]], axis=1)
    words = rng.permuted(words, axis=1)
    users[f'user_{user:0{width}d}'] = mood_files.ScoredTexts(
      tuple(map(' '.join, words)), 100 * special.ndtr(mood)
    )
  return users


def _liking(rng: np.random.Generator, num_words: int) -> np.ndarray:
  """Returns a user's liking for words: some of them often, others rarely."""
  return rng.dirichlet(np.full(num_words, 1.0))
