"""The choices of a training run, one field each; `pipelines.train` makes its flags of them."""

import dataclasses
from collections.abc import Mapping

from tff_lg import metrics as metrics_lib
from tff_lg.config import (
  aggregation,
  client_files,
  embedding,
  entry_options,
  metric_options,
  mood,
  optimization,
  own_models,
  protocols,
  runtime,
  split,
  table,
  text,
  trouble,
  tuning,
  verdicts,
  vqa,
)
from tff_lg.config import partition as partition_options
from tff_lg.config.option import option
from tff_lg.learning.methods import METHODS as _METHODS

TASKS = (
  'digits',
  metric_options.DIABETES,
  'mnist',
  'cifar10',
  'arrays',
  table.TASK,
  client_files.TASK,
  'embeddings',
  mood.TASK,
  vqa.TASK,
  *text.TASKS,
)
# Of the tasks that offer a choice; the first is the default.
MODELS: Mapping[str, tuple[str, ...]] = {
  'cifar10': ('lenet', 'reference_lenet', 'resnet18'),
  embedding.TASK: embedding.MODELS,
  client_files.TASK: client_files.MODELS,
}
SELECTION_METRICS = tuple(metrics_lib.METRICS)
SELECTION_SCOPES = ('client', 'pooled')
METHODS = tuple(_METHODS)
CLIENT_STORES = ('memory', 'disk')
COHORT_SAMPLINGS = ('fixed_size', 'poisson')
CLIENT_WEIGHTINGS = ('examples', 'uniform', 'gradient_norm')
# Options that change no bit of a run, which therefore goes on with other choices of them.
WITHOUT_EFFECT = frozenset(
  {'client_cache', 'ray_address', 'ray_actors', 'ray_actor_cpus', 'ray_actor_gpus'}
)


@dataclasses.dataclass(frozen=True)
class TrainConfig(
  aggregation.AggregationOptions,
  trouble.TroubleOptions,
  text.TextOptions,
  mood.MoodOptions,
  vqa.VqaOptions,
  partition_options.PartitionOptions,
  embedding.EmbeddingOptions,
  optimization.OptimizationOptions,
  client_files.ClientFilesOptions,
  table.TableOptions,
  metric_options.MetricOptions,
  entry_options.MethodOptions,
  own_models.OwnModelOptions,
  tuning.TuningOptions,
  verdicts.VerdictOptions,
  runtime.RuntimeOptions,
):
  """The choices of a run; None stands for a default that depends on other choices.

  Raises, when made by `resolve`, ConfigError for choices that cannot be.
  """

  task: str = option('digits', 'Data set and its model.', TASKS)
  data_dir: str | None = option(
    None,
    "Folder with the task's official files; without it Keras downloads them. For --task=table a "
    'CSV or Parquet file, or a folder of them; for --task=text and chars a folder or file with '
    'text by user; for --task=mood a CSV file, or a folder with mood.csv, of user, text and score; '
    'for --task=vqa the folder with the official JSON files; without it small data are generated. '
    "For --task=client_files a folder with an npz file a client, or TFF's database file of "
    'clients.',
    is_path=True,
  )
  partition: str | None = option(
    None,
    'How training examples are spread over clients; classes_per_client by default. For '
    '--task=embeddings it is clusters (by k-means, as `pipelines.simulate_clients`); for '
    '--task=text, chars, mood, diabetes, client_files, and table with a --client_column, natural; '
    'for --task=vqa, by pictures, and other tables iid. natural_iid shuffles examples between '
    'clients of natural sizes.',
    tuple(partition_options.PARTITIONS),
  )
  num_clients: int | None = option(
    None,
    'Number of clients, K; 100 by default, 10 for --task=embeddings. The data decide it for '
    '--partition=natural and natural_iid.',
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
    'choose models; 0.1 by default.',
  )
  model: str | None = option(
    None,
    'Network. Of --task=cifar10: LeNet-5 (default), LeNet-5 on standardised pixels with the '
    'smaller initial weights of the LG-FedAvg reference code, or ResNet-18 with group '
    'normalisation. Of --task=embeddings: dense ReLU layers (default), gated units, or gated units '
    "conditioned on the client, by shifts in the global model or by the client's own. Of "
    '--task=client_files: dense ReLU layers (default), or LeNet-5. Or a function of your own, '
    'my_module:build, of tasks on numbers and images: build(input_shape, num_outputs, seed) '
    'returns a Keras model. Ours are '
    f'{", ".join(model for models in MODELS.values() for model in models)}.',
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
    100, 'Rounds of the method. A run goes on if there are more than it was started with.'
  )
  warm_start_rounds: int = option(0, 'FedAvg rounds before the rounds of the method.')
  clients_per_round: int | None = option(
    None,
    'Cohort, m: clients sampled a round; a tenth of the clients by default, all for '
    '--task=embeddings and mood.',
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
    'How much a client counts; examples by default, uniform with aggregators that are no mean.',
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
    'What the best round is best in; accuracy by default, or the main metric of what is predicted, '
    'loss for --task=embeddings and mood.',
    SELECTION_METRICS,
  )
  selection_scope: str | None = option(
    None,
    'Whether a client with local weights has a best round of its own, or all clients the one '
    'that is best on their pooled examples; client by default, pooled for --task=embeddings and '
    'mood.',
    SELECTION_SCOPES,
  )
  checkpoint_every: int = option(10, 'Rounds between checkpoints.')
  client_store: str = option(
    'memory',
    'Where the states of clients are between rounds (local weights, --keep_client_optimizer): in '
    'memory and in each checkpoint, or on disk in the run folder. The results are the same.',
    CLIENT_STORES,
  )
  protocol: str = option(
    'validation',
    "validation: choose models on validation data; reference: the reference code's choices, "
    'models chosen on test data among them.',
    tuple(protocols.PROTOCOLS),
  )
  seed: int = option(0, 'Of everything random: partition, sampling, initialisation, shuffling.')

  @property
  def predicts(self) -> metrics_lib.Objective:
    """What is predicted of an example, with its metrics."""
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
):
  _options.check_names(TrainConfig)
optimization.check_names(TrainConfig)
