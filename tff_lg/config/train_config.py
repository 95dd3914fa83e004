"""The choices of a training run, one field each; `pipelines.train` makes its flags of them."""

import dataclasses

from tff_lg import metrics as metrics_lib
from tff_lg.client_states import CLIENT_STORES, MEMORY
from tff_lg.config import (
  aggregation,
  entry_options,
  metric_options,
  optimization,
  own_models,
  protocols,
  repetition,
  runtime,
  split,
  trouble,
  tuning,
  verdicts,
)
from tff_lg.config import partition as partition_options
from tff_lg.config import task as task_options
from tff_lg.config.option import option
from tff_lg.learning.methods import METHODS as _METHODS

SELECTION_METRICS = tuple(metrics_lib.METRICS)
SELECTION_SCOPES = ('client', 'pooled')
METHODS = tuple(_METHODS)
COHORT_SAMPLINGS = ('fixed_size', 'poisson')
CLIENT_WEIGHTINGS = ('examples', 'uniform', 'gradient_norm')
# Options that change no bit of a run, which therefore goes on with other choices of them.
WITHOUT_EFFECT = frozenset({'client_cache'}) | runtime.WITHOUT_EFFECT


_COHORT_SHARES = task_options.say_default(lambda entry: f'{entry.cohort_share:g}')


@dataclasses.dataclass(frozen=True)
class TrainConfig(
  aggregation.AggregationOptions,
  trouble.TroubleOptions,
  task_options.TaskOptions,
  partition_options.PartitionOptions,
  optimization.OptimizationOptions,
  metric_options.MetricOptions,
  entry_options.MethodOptions,
  own_models.OwnModelOptions,
  tuning.TuningOptions,
  verdicts.VerdictOptions,
  repetition.RepetitionOptions,
  runtime.RuntimeOptions,
):
  """The choices of a run; None stands for a default that depends on other choices.

  Raises, when made by `resolve`, ConfigError for choices that cannot be.
  """

  partition: str | None = option(
    None,
    'How training examples are spread over clients; '
    f'{task_options.say_default(task_options.say_partition)}. natural_iid shuffles examples '
    'between clients of natural sizes.',
    tuple(partition_options.PARTITIONS),
  )
  num_clients: int | None = option(
    None,
    f'Number of clients, K; {task_options.say_default(lambda entry: str(entry.num_clients))}. The '
    'data decide it for --partition=natural and natural_iid.',
  )
  held_out_clients: int | None = option(
    None,
    'How many of the clients, drawn at random, are held out: no round, choice of a model or '
    'vocabulary sees them, and their scores, with the model that the others trained, are in '
    'held_out_clients.parquet and under held_out/ in the summary; nobody by default.',
  )
  held_out_ids: tuple[str, ...] | None = option(
    None, 'Ids of the clients that are held out, separated by commas, instead of drawn ones.'
  )
  validation_fraction: float | None = option(
    None,
    "Part of each client's training examples, of all its examples for --task=mood, held out to "
    'choose models; 0.1 by default, for --task=school as many as are for testing.',
  )
  method: str = option('lg_fedavg', 'The method after the warm start.', METHODS)
  baselines: tuple[str, ...] | None = option(
    None, 'Methods run for comparison with the same budget; local_only by default.', METHODS
  )
  local_budget: str = option(
    'best',
    'How long local_only trains, as a method or a baseline. best: each client alone, until its '
    'validation data show no more progress, whatever --clients_per_round; cohort: only in the '
    'rounds in which the client is sampled, as the federated methods do.',
    own_models.BUDGETS,
  )
  rounds: int = option(
    100, 'Rounds of the method. A finished run continues if there are more than before.'
  )
  warm_start_rounds: int = option(0, 'FedAvg rounds before the rounds of the method.')
  clients_per_round: int | None = option(
    None,
    'Cohort, m: clients sampled a round; a tenth of the clients by default. Where the data decide '
    f'the clients it is the share {_COHORT_SHARES}.',
  )
  cohort_sampling: str | None = option(
    None,
    'fixed_size: cohorts of exactly --clients_per_round; poisson: each client takes part with the '
    'same probability, so that cohorts have --clients_per_round clients on average, the default '
    'with --aggregator=dp_mean, whose budget it makes far smaller.',
    COHORT_SAMPLINGS,
  )
  client_epochs: int | None = option(
    None, 'E: how often a client goes through its examples in a round; 1 by default.'
  )
  client_steps: int | None = option(
    None, 'SGD steps of a client in a round at most; no limit by default.'
  )
  batch_size: int | None = option(None, "B: a client's batch; 10 by default.")
  client_weighting: str | None = option(
    None,
    'How much a client counts; examples by default, uniform with aggregators other than means.',
    CLIENT_WEIGHTINGS,
  )
  evaluate_every: int = option(10, 'Rounds between evaluations of all clients.')
  early_stopping_rounds: int | None = option(
    None,
    'The rounds of the method end once the mean over clients of --selection_metric on validation '
    'data has not improved for so many rounds, as seen every --evaluate_every rounds; the warm '
    'start has all of its rounds. Each baseline ends by itself. Never by default.',
  )
  max_evaluated_clients: int | None = option(
    None,
    'Clients that are evaluated, and by which models are chosen, at most: the same ones in each '
    'round, drawn from the seed. Others keep their newest model, or that of the round chosen for '
    'all. All by default, and for 0.',
  )
  goal_accuracy: tuple[float, ...] | None = option(
    None,
    'Accuracies, or values of the main metric, of which the summary says after how many rounds, '
    "and how many parameters and bytes sent, the clients' pooled test examples first reached them; "
    'none by default.',
  )
  selection_metric: str | None = option(
    None,
    'What the best round is best in; by default the main metric of what is predicted, such as '
    f'accuracy, but {task_options.say_by_task(lambda entry: entry.selection_metric or "")}.',
    SELECTION_METRICS,
  )
  selection_scope: str | None = option(
    None,
    'Whether a client with local weights has a best round of its own, or all clients the one '
    'that is best on their pooled examples; '
    f'{task_options.say_default(lambda entry: entry.selection_scope)}.',
    SELECTION_SCOPES,
  )
  checkpoint_every: int = option(10, 'Rounds between checkpoints.')
  client_store: str = option(
    MEMORY,
    'Where the states of clients are between rounds (local weights, --keep_client_optimizer). '
    f'{task_options.say_labels(CLIENT_STORES)} The results are the same.',
    tuple(CLIENT_STORES),
  )
  protocol: str = option(
    'validation',
    "validation: choose models on validation data; reference: the reference code's choices, "
    'models chosen on test data among them.',
    tuple(protocols.PROTOCOLS),
  )
  seed: int = option(0, 'Seed of all randomness: partition, sampling, initialisation, shuffling.')

  @property
  def predicts(self) -> metrics_lib.Objective:
    """The prediction for an example, with its metrics."""
    return metric_options.find_objective(self)

  @property
  def model_metrics(self) -> tuple[str, ...]:
    """Names of the metrics of its models, the main one first."""
    return metric_options.list_metrics(self)

  @property
  def total_rounds(self) -> int:
    """Rounds of the warm start and of the method."""
    return self.warm_start_rounds + self.rounds

  @property
  def picks_split(self) -> bool:
    """Whether the run picks its global layers itself."""
    return self.global_layers == split.AUTO

  @property
  def trains_to_best(self) -> bool:
    """Whether the run is local learning in which each client trains to its best."""
    return not _METHODS[self.method].sends_updates and self.local_budget == 'best'

  @property
  def choices(self) -> protocols.Protocol:
    """The protocol's choices."""
    return protocols.PROTOCOLS[self.protocol]


for _options in (
  entry_options.METHOD_OPTIONS,
  aggregation.AGGREGATOR_OPTIONS,
  trouble.ATTACK_OPTIONS,
  partition_options.PARTITION_OPTIONS,
  task_options.TASK_OPTIONS,
  task_options.NETWORK_OPTIONS,
  runtime.RUNTIME_OPTIONS,
):
  _options.check_names(TrainConfig)
optimization.check_names(TrainConfig)
