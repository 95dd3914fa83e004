"""The choices of a training run, one field each, in groups; `pipelines.train` has them as flags."""

import dataclasses

from tff_lg.config import (
  aggregation,
  entry_options,
  inputs,
  local_learning,
  method,
  optimization,
  partition,
  runtime,
  sampling,
  selection,
  storage,
  task,
  tracking,
  trouble,
  tuning,
  verdicts,
)
from tff_lg.config.option import group

# Options that change no bit of a run, which therefore goes on with other choices of them.
WITHOUT_EFFECT = frozenset({'client_cache', 'track', 'warm_start_from'}) | runtime.WITHOUT_EFFECT


@dataclasses.dataclass(frozen=True)
class TrainConfig(
  inputs.InputOptions,
  method.MethodOptions,
  sampling.SamplingOptions,
  aggregation.AggregationOptions,
  trouble.AttackOptions,
  local_learning.LocalLearningOptions,
  tuning.TuningOptions,
  verdicts.VerdictOptions,
  storage.StorageOptions,
  tracking.TrackingOptions,
  runtime.RuntimeOptions,
):
  """The choices of a run; None stands for a default that depends on other choices.

  Each class that it inherits from is a group of options. `config.task_options` is the group alone,
  for what needs no more of the config.

  Raises, when made by `resolve`, ConfigError for choices that cannot be.
  """

  task_options = group(task.TaskOptions)
  partition_options = group(partition.PartitionOptions)
  input_options = group(inputs.InputOptions)
  method_options = group(method.MethodOptions)
  training_options = group(optimization.TrainingOptions)
  sampling_options = group(sampling.SamplingOptions)
  aggregation_options = group(aggregation.AggregationOptions)
  attack_options = group(trouble.AttackOptions)
  selection_options = group(selection.SelectionOptions)
  local_learning_options = group(local_learning.LocalLearningOptions)
  tuning_options = group(tuning.TuningOptions)
  verdict_options = group(verdicts.VerdictOptions)
  storage_options = group(storage.StorageOptions)
  tracking_options = group(tracking.TrackingOptions)
  runtime_options = group(runtime.RuntimeOptions)


for _options in (
  entry_options.METHOD_OPTIONS,
  aggregation.AGGREGATOR_OPTIONS,
  aggregation.PRE_AGGREGATION_OPTIONS,
  trouble.ATTACK_OPTIONS,
  partition.PARTITION_OPTIONS,
  task.TASK_OPTIONS,
  task.NETWORK_OPTIONS,
  runtime.RUNTIME_OPTIONS,
):
  _options.check_names(TrainConfig)
optimization.check_names(TrainConfig)
