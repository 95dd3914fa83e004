"""Names of metrics: the columns of metrics.csv and clients.csv, and the entries of summary.json.

A name is a path of words, such as `fedavg/local_test/accuracy/mean_over_clients`:

    [WHOSE/]DATA/METRIC[/OVER_CLIENTS]

WHOSE is a baseline, a technique of adaptation or a group of clients; the run itself has none. DATA
says on which examples the models are scored. METRIC is an entry of `tff_lg.metrics`. OVER_CLIENTS
says how one number comes of all clients'; a column with one row per client has none. Other numbers
begin with what they are about, such as `communication/` or `privacy/`.
"""

# DATA: each client's model on the client's own validation and test examples.
VALIDATION = 'validation'
LOCAL_TEST = 'local_test'
# Each client's model on the whole test set, classes weighted by the client's training data.
PARTICIPANT_TEST = 'participant_test'
# Each client's model on the test examples of all other clients together.
OTHERS_TEST = 'others_test'
# All clients' models together on the whole test set.
NEW_TEST = 'new_test'
# All clients' test examples together, each predicted by its own client's model.
POOLED_TEST = 'pooled_test'
# The whole test set, as of a client that took no part.
UNKNOWN_CLIENT_TEST = 'unknown_client_test'

# OVER_CLIENTS: clients count alike in mean and deviation, examples in the pooled value.
MEAN = 'mean_over_clients'
STD = 'std_over_clients'
POOLED = 'pooled'
# Of gains: the share of clients whose gain is below 0.
SHARE_WORSE = 'share_of_clients_worse'


def validation(metric: str) -> str:
  """Returns the column of a metric of each client's model on its validation data."""
  return f'{VALIDATION}/{metric}'


def local_test(metric: str) -> str:
  """Returns the column of a metric of each client's model on that client's test data."""
  return f'{LOCAL_TEST}/{metric}'


def others_test(metric: str) -> str:
  """Returns the column of a metric of each client's model on the other clients' test data."""
  return f'{OTHERS_TEST}/{metric}'


def new_test(metric: str, ensemble: str) -> str:
  """Returns the name of a metric of all clients' models together on the whole test set.

  Args:
    metric: an entry of `tff_lg.metrics`.
    ensemble: how models become one, such as `ensemble_vote` or `weight_average`.
  """
  return f'{NEW_TEST}/{metric}/{ensemble}'


def pooled_test(metric: str) -> str:
  """Returns the name of a metric of all clients' test examples together."""
  return f'{POOLED_TEST}/{metric}'


def mean(name: str) -> str:
  """Returns the name of the mean over clients of a column."""
  return f'{name}/{MEAN}'


def std(name: str) -> str:
  """Returns the name of the standard deviation over clients of a column."""
  return f'{name}/{STD}'


def pooled(name: str) -> str:
  """Returns the name of a column's metric over all clients' examples together."""
  return f'{name}/{POOLED}'


def share_worse(name: str) -> str:
  """Returns the name of the share of clients that do worse by a column of gains."""
  return f'{name}/{SHARE_WORSE}'


def std_over_seeds(name: str) -> str:
  """Returns the name of the standard deviation of a number over seeds."""
  return f'{name}/std_over_seeds'


def interval(name: str) -> tuple[str, str]:
  """Returns the names of both ends of a number's 95 % interval."""
  return f'{name}/low', f'{name}/high'


def metric_of(column: str) -> str:
  """Returns the metric of a client's column: `mae` for `fedavg/local_test/mae`."""
  return column.rpartition('/')[2]


LOCAL_ACCURACY = local_test('accuracy')
PARTICIPANT_ACCURACY = f'{PARTICIPANT_TEST}/accuracy'

# Columns of clients.csv that are no metrics. 1 where the client is malicious; only with an attack.
IS_MALICIOUS = 'is_malicious'
# 1 where the client is one of the sample that is evaluated.
IS_EVALUATED = 'is_evaluated'
# Of held-out clients, 1 where the client's validation data choose for all.
IS_VALIDATION_CLIENT = 'is_validation_client'
# 1 where a client is left out when the source run of an adaptation is trained again.
IS_REMOVED = 'is_removed'
# Text: the kind of the client's locally trained model.
OWN_MODEL = 'own_model'
# Text: the method that a client should use, see docs/VERDICTS.md; also a prefix of its metrics.
ADVICE = 'advice'

# WHOSE, of an adaptation run: the model that adaptation starts from, for each client the best of it
# and the adapted ones, and that of the source run trained again.
FEDERATED = 'federated'
BEST = 'best'
RETRAINED = 'retrained'
_AGGREGATED = '_aggregated_'
# Text: which model is the client's best.
BEST_NAME = f'{BEST}/name'
# Prefix of the metrics of held-out clients.
HELD_OUT = 'held_out/'
# Those of clients that stay when the source run of an adaptation is trained again, and of the rest.
KEPT, REMOVED = 'kept/', 'removed/'
# WHOSE, of a run that a new client joins.
OLD_CLIENTS = 'old_clients'
NEW_CLIENT = 'new_client'


def aggregated(technique: str, epochs: str | int) -> str:
  """Returns the mean of the models that a technique gave after some epochs."""
  return f'{technique}{_AGGREGATED}{epochs}'


def split_aggregated(model: str) -> tuple[str, str]:
  """Returns technique and epochs of a mean of adapted models; of others the model, and nothing."""
  technique, _, epochs = model.partition(_AGGREGATED)
  return technique, epochs


def epoch(model: str) -> str:
  """Returns the column with the epoch that validation data chose for a client's model."""
  return f'{model}/epoch'


def is_finite(model: str) -> str:
  """Returns the column that says whether an adapted model's weights are all finite."""
  return f'{model}/is_finite'


def honest(name: str) -> str:
  """Returns the name of a number over honest clients only."""
  return f'honest/{name}'


def optimistic(name: str) -> str:
  """Returns the name of a number of the models that test data would choose, where they do not."""
  return f'optimistic/{name}'


def gain_over(other: str, column: str) -> str:
  """Returns the name of clients' gains in a column over another method."""
  return f'gain_over/{other}/{column}'


def verdict_over(method: str, what: str = '') -> str:
  """Returns the name of what test data say of clients with and without a method.

  Args:
    method: with which the run is compared.
    what: such as `low`, `high` and `verdict` of each client, `num_worse` of all; by default the
      prefix of all of these.
  """
  return f'verdict_over/{method}/{what}'


def num_advised(method: str) -> str:
  """Returns the name of the number of clients that should use a method."""
  return f'{ADVICE}/{method}/num_clients'


# An advice: the prefix of what it says of models, and the share of seeds that agree with it.
OF_MODELS = 'models/'
AGREEMENT = f'{ADVICE}/agreement'


def of_model(model: str, what: str) -> str:
  """Returns the name of what an advice says of a model: `bytes_per_client`, `is_reference`, ..."""
  return f'{OF_MODELS}{model}/{what}'


def with_verdict(verdict: str) -> str:
  """Returns the name of the number of clients with a verdict on the model advised."""
  return f'verdict/{verdict}'


# A round of training: the mean loss of its clients' steps, and who took part.
TRAIN_LOSS = 'train/loss'
TRAIN_NUM_EXAMPLES = 'train/num_examples'
TRAIN_NUM_CLIENTS = 'train/num_clients'
# Clients whose update was not finite.
NUM_CLIENTS_LEFT_OUT = 'train/num_clients_left_out'
NUM_VOID_ROUNDS = 'train/num_void_rounds'
# Text: since when the model may be ruined, and what to do; only then.
TRAINING_WARNING = 'train/warning'
# Text: why a run diverged; empty for one that did not.
DIVERGED = 'train/diverged'
# How many clients are evaluated, where that is a sample.
NUM_EVALUATED = 'evaluated/num_clients'

# What all clients have sent and received so far.
PARAMETERS_TOTAL = 'communication/parameters_total'
BYTES_TOTAL = 'communication/bytes_total'
# The same, were every round's broadcast sent to all clients, sampled or not.
PARAMETERS_TO_ALL = 'communication/broadcast_to_all/parameters_total'
BYTES_TO_ALL = 'communication/broadcast_to_all/bytes_total'
COMMUNICATION = (PARAMETERS_TOTAL, BYTES_TOTAL, PARAMETERS_TO_ALL, BYTES_TO_ALL)


def client_cost(cost: str) -> str:
  """Returns the name of the cost of a step to a client: `flops_per_example`, `memory_bytes`."""
  return f'client/{cost}'


# Rounds that early stopping or a goal saved, and those of a warm start with a goal.
ROUNDS_SAVED = 'early_stopping/rounds_saved'
WARM_START_ROUNDS = 'warm_start_until/rounds'
ROUNDS = 'rounds/'


def rounds(method: str) -> str:
  """Returns the name of the number of rounds that a method was given."""
  return f'{ROUNDS}{method}'


def is_reached(option: str) -> str:
  """Returns the name of whether the goal of an option, such as `rounds_until`, was reached."""
  return f'{option}/is_reached'


# What it took to first reach a goal -> the column of metrics.csv that counts it.
ROUNDS_TO, PARAMETERS_TO, BYTES_TO = 'rounds_to', 'parameters_to', 'bytes_to'
_TO_GOAL = {ROUNDS_TO: 'round_num', PARAMETERS_TO: PARAMETERS_TOTAL, BYTES_TO: BYTES_TOTAL}


def to_goal(goal: float, metric: str = 'accuracy') -> dict[str, str]:
  """Returns the names of rounds, parameters and bytes to a goal, each with what counts it.

  Args:
    goal: a value of the metric over all clients' test examples together.
    metric: an entry of `tff_lg.metrics`.

  Returns:
    A column of metrics.csv by names such as `rounds_to/0.97/local_test/accuracy/pooled`.
  """
  reached = pooled(local_test(metric))
  return {f'{count}/{goal}/{reached}': column for count, column in _TO_GOAL.items()}


def is_to_goal(name: str) -> bool:
  """Returns whether a name is of what it took to reach a goal, whatever stands in front of it."""
  return not _TO_GOAL.keys().isdisjoint(name.split('/'))


# The privacy that a run has spent, and by which mechanism and accountant.
PRIVACY = 'privacy/'
EPSILON = 'privacy/epsilon'
DELTA = 'privacy/delta'
NOISE_MULTIPLIER = 'privacy/noise_multiplier'
CLIP_NORM = 'privacy/clip_norm'
ACCOUNTANT = 'privacy/accountant'
PRIVACY_SAMPLING = 'privacy/sampling'
# Text: alone, or with what it is about after it.
PRIVACY_WARNING = 'privacy/warning'


def privacy_warning(about: str) -> str:
  """Returns the name of the warning about a value that is made of private data without noise."""
  return f'{PRIVACY_WARNING}/{about}'


def not_covered(what: str) -> str:
  """Returns the name of the note on what an epsilon does not cover."""
  return f'privacy/not_covered/{what}'


def assumed(what: str) -> str:
  """Returns the name of the note on what an epsilon assumes."""
  return f'privacy/assumed/{what}'


# An attack, and the share of test images with its trigger that models take for its target.
ATTACK = 'attack/'
ATTACK_NAME = 'attack/name'
ATTACK_STRENGTH = 'attack/strength'
MALICIOUS_SHARE = 'attack/malicious_share'
BACKDOOR_SUCCESS = 'backdoor/success'

# Locally trained models: whether each is trained to its best or for its client's rounds only, the
# epochs of those, the most that they may take, and how many would have improved further.
OWN_BUDGET = 'own_models/budget'
OWN_EPOCHS = 'own_models/epochs/median_over_clients'
OWN_MOST_EPOCHS = 'own_models/epochs/most'
OWN_STILL_IMPROVING = 'own_models/still_improving/num_clients'


def num_own_models(kind: str) -> str:
  """Returns the name of the number of clients whose best locally trained model is of a kind."""
  return f'own_models/{kind}/num_clients'


def own_setting(kind: str, hyperparameter: str) -> str:
  """Returns the name of the hyper-parameter chosen for a kind of locally trained models."""
  return f'own_models/{kind}/{hyperparameter}'


def tried(setting: str) -> str:
  """Returns the name of the values out of which a hyper-parameter was chosen."""
  return f'{setting}/tried'


# The learning rate that the run was given by its tuning, and those that were tried.
TUNED_LEARNING_RATE = 'tuning/client_learning_rate'
TUNED_OUT_OF = 'tuning/tried'
# Text: on which data models were chosen.
PROTOCOL_NOTE = 'protocol/note'
# Text: what a run went on with, and after which rounds.
CHANGED_SETTINGS = 'changed_settings'


def alpha(found_by: str) -> str:
  """Returns the name of the best weight of a local model mixed with the global one, in theory."""
  return f'alpha/{found_by}'


def error(found_by: str) -> str:
  """Returns the name of the measured error of a mixture with the weight of `alpha`."""
  return f'error/{found_by}'
