"""The flags of `fair`, read into the values of its config."""

from typing import Any

from absl import flags

from pipelines import path_flags
from tff_lg.config import own_models
from tff_lg.experiments import fair_config

_DATA_DIR = path_flags.define(
  'data_dir',
  None,
  'Folder with the official adult.data and adult.test; a synthetic table by default.',
)
_LAMBDAS = flags.DEFINE_list('lambdas', ['1', '3', '10'], 'Strengths of the adversary, above 0.')
_SEEDS = flags.DEFINE_list('seeds', ['0'], 'Seeds; each repeats the whole experiment.')
_PARTITIONS = flags.DEFINE_list(
  'partitions', ['iid', 'non_iid'], 'iid; non_iid: sorted by income, ten shards per device.'
)
_NUM_CLIENTS = flags.DEFINE_integer(
  'num_clients', 10, 'Devices, all in every round.', lower_bound=1
)
_TRAIN_ROWS = flags.DEFINE_integer('train_rows', 15_000, 'Training rows of all devices together.')
_PRETRAIN_EPOCHS = flags.DEFINE_integer(
  'pretrain_epochs', 10, 'Epochs that each device trains alone first.', lower_bound=0
)
_ROUNDS = flags.DEFINE_integer('rounds', 10, 'Joint rounds.', lower_bound=1)
_CLIENT_EPOCHS = flags.DEFINE_integer(
  'client_epochs', 1, 'Epochs of each device in a joint round.', lower_bound=1
)
_HALVE_ROWS = flags.DEFINE_bool(
  'halve_rows', False, 'Train on one half of adult.data and test on the other, not on adult.test.'
)
_METHODS = flags.DEFINE_list('methods', list(fair_config.METHODS), 'Methods to train.')
_HIDDEN_UNITS = flags.DEFINE_list(
  'hidden_units',
  ['32', '32', '32', '32'],
  'Hidden layers of the network; the third gives the representation.',
)
_ADVERSARY_DROPOUT_RATE = flags.DEFINE_float(
  'adversary_dropout_rate', 0.0, 'Dropout after each hidden layer of the adversary.'
)
_TO_BEST = own_models.defaults()
_LOCAL_BUDGET = flags.DEFINE_enum(
  'local_budget',
  'best',
  own_models.BUDGETS,
  'best: each device trains alone until its held-out rows show no more progress; cohort: for as '
  'many epochs as the other methods.',
)
_OWN_MODELS = flags.DEFINE_list(
  'own_models',
  [own_models.NETWORK, 'linear'],
  'What each device trains alone to its best (--local_budget=best): '
  f'{", ".join(own_models.OWN_MODELS)}.',
)
_LOCAL_ONLY_EPOCHS = flags.DEFINE_integer(
  'local_only_epochs', _TO_BEST['local_only_epochs'], "Epochs of a device's own network at most."
)
_LOCAL_ONLY_PATIENCE = flags.DEFINE_integer(
  'local_only_patience',
  _TO_BEST['local_only_patience'],
  "A device's own network stops after this many epochs without a lower loss on held-out rows.",
)
_LOCAL_ONLY_LEARNING_RATE = flags.DEFINE_list(
  'local_only_learning_rate',
  None,
  'Learning rates of own networks to choose from. By default 0.1, a third and three times it; the '
  'grid grows while its best value is at an end.',
)
_FAST = flags.DEFINE_bool(
  'fast',
  False,
  'A complete small run in about a minute: 2 devices, 400 training rows, 1 epoch alone, 2 rounds, '
  'one lambda, own networks of 5 epochs at most, in place of their flags.',
)
_SMALL = {
  'num_clients': 2,
  'train_rows': 400,
  'pretrain_epochs': 1,
  'rounds': 2,
  'lambdas': (1.0,),
  'local_only_epochs': 5,
  'local_only_learning_rate': (0.1,),
}


def read() -> dict[str, Any]:
  """Returns the flags' values by name, with `--fast`, and lists as tuples of their kind.

  Raises:
    ValueError: an element of a list is of another kind; one sentence that names the flag.
  """
  values = {
    flag.name: flag.value
    for flag in (
      *(_DATA_DIR, _NUM_CLIENTS, _TRAIN_ROWS, _PRETRAIN_EPOCHS, _ROUNDS),
      *(_LOCAL_BUDGET, _LOCAL_ONLY_EPOCHS, _LOCAL_ONLY_PATIENCE),
      *(_CLIENT_EPOCHS, _HALVE_ROWS, _ADVERSARY_DROPOUT_RATE),
    )
  }
  for flag, kind, kinds in (
    (_LAMBDAS, float, 'numbers'),
    (_SEEDS, int, 'whole numbers'),
    (_PARTITIONS, str, 'names'),
    (_OWN_MODELS, str, 'names'),
    (_METHODS, str, 'names'),
    (_HIDDEN_UNITS, int, 'whole numbers'),
    (_LOCAL_ONLY_LEARNING_RATE, float, 'numbers'),
  ):
    given: list[str] | None = flag.value
    try:
      values[flag.name] = given if given is None else tuple(map(kind, given))
    except ValueError:
      found = ','.join(given or ())
      raise ValueError(f'--{flag.name} is {found}, expected {kinds} with commas between.') from None
  return values | (_SMALL if _FAST.value else {})
