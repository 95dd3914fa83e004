"""A small generated corpus, for runs without any file: synthetic, says nothing of real text.

All users speak in sentences of one form, but each prefers words of its own. So a common model
learns the form and an adapted one the words.
"""

import numpy as np

_ARTICLES = 'the a my your this'.split()
_ADJECTIVES = 'old small bright quiet red cold warm early late green'.split()
_NOUNS = (
  'river garden horse kitchen letter train window song mountain teacher ship market winter '
  'brother apple story engine forest bridge doctor'
).split()
_VERBS = 'sees finds loves paints carries hears builds follows sells remembers'.split()
_ENDS = '. . ! ?'.split()
_FORM = (_ARTICLES, _ADJECTIVES, _NOUNS, _VERBS, _ARTICLES, _NOUNS, _ENDS)


def generate_users(num_users: int = 20, seed: int = 0) -> dict[str, list[str]]:
  """Generates the lines of each user.

  Args:
    num_users: how many users.
    seed: the same seed, the same corpus.

  Returns:
    By user `user_00`, ..., between 10 and 60 lines of seven tokens, such as 'The old horse
    sees my river!'.
  """
  rng = np.random.default_rng(seed)
  width = len(str(num_users - 1))
  users = {}
  for user in range(num_users):
    num_lines = rng.integers(10, 61)
    # A user's liking for the words of each slot: few of them often, most hardly ever.
    slots = [
      rng.choice(words, num_lines, p=rng.dirichlet(np.full(len(words), 0.3))) for words in _FORM
    ]
    users[f'user_{user:0{width}d}'] = [
      f'{" ".join(line[:-1]).capitalize()}{line[-1]}' for line in zip(*slots, strict=True)
    ]
  return users
