"""The config of a training run: every choice in one value, checked before anything is loaded.

The room is light: it imports neither TensorFlow nor NumPy. May import: the entries of
`tff_lg.adaptation`, `tff_lg.aggregators`, `tff_lg.attacks`, `tff_lg.client_states`,
`tff_lg.execution`, `tff_lg.optimizers`, `tff_lg.tasks`.

`pipelines.train` makes its flags out of `TrainConfig`, `pipelines.adapt` its own out of
`AdaptConfig`, `pipelines.new_device` out of `NewDeviceConfig`, so there is no second list.

`TrainConfig` is made of groups, a dataclass each. Its fields are flat and have the flags' names, as
in the settings of a run folder and in flag files. So there is one form to store and to compare. Its
groups are nested: `config.task_options` is a `TaskOptions`, `config.sampling_options` a
`SamplingOptions` and so on. They end in `_options` because `task`, `partition`, `method` and
`runtime` are flags. Privacy has no group of its own: its options belong to the aggregators.

The modules that run or store a whole run take the config. All others take a group, or plain values.
Checks of entries take the whole too, as a choice may contradict any other one.
"""

from tff_lg.config.adapt_config import (
  ADAPTATIONS,
  TECHNIQUE_OPTIONS,
  VALIDATION_CLIENTS,
  AdaptConfig,
  fast_adapt,
  resolve_adapt,
)
from tff_lg.config.aggregation import (
  AGGREGATOR_OPTIONS,
  AGGREGATORS,
  PRE_AGGREGATION_OPTIONS,
  AggregationOptions,
  without_cohort,
)
from tff_lg.config.derived import as_baseline, as_own_models, fast, without_baselines
from tff_lg.config.ending import RoundGoal, find_goal
from tff_lg.config.entry_options import METHOD_OPTIONS
from tff_lg.config.inputs import InputOptions
from tff_lg.config.local_learning import LocalLearningOptions
from tff_lg.config.method import METHODS, MethodOptions
from tff_lg.config.new_device_config import (
  TRANSFORMS,
  NewDeviceConfig,
  check_new_device,
  fast_new_device,
)
from tff_lg.config.optimization import (
  CLIENT_WEIGHTINGS,
  ROLES,
  TrainingOptions,
  learning_rate,
  needs_num_rounds,
  optimizer,
  scales_mean,
  schedule,
)
from tff_lg.config.option import ConfigError
from tff_lg.config.own_models import OwnModelOptions
from tff_lg.config.own_network import is_own as is_own_network
from tff_lg.config.partition import PARTITION_OPTIONS, PARTITIONS, PartitionOptions
from tff_lg.config.protocols import PROTOCOLS, Protocol
from tff_lg.config.repetition import data_seed
from tff_lg.config.rules import resolve, with_cohort
from tff_lg.config.runtime import RUNTIME_OPTIONS, RUNTIMES, RuntimeOptions
from tff_lg.config.runtime import check as check_runtime
from tff_lg.config.sampling import SamplingOptions, cohort_options
from tff_lg.config.selection import SelectionOptions
from tff_lg.config.storage import StorageOptions
from tff_lg.config.task import NETWORK_OPTIONS, TASK_OPTIONS, TaskOptions
from tff_lg.config.train_config import WITHOUT_EFFECT, TrainConfig
from tff_lg.config.trouble import ATTACK_OPTIONS, ATTACKS, AttackOptions
from tff_lg.config.warm_start import WARM_START_METHOD, WarmStartSource
from tff_lg.config.warm_start import check_source as check_warm_start
from tff_lg.config.warm_start import find_baseline as find_warm_start_baseline
from tff_lg.tasks import TASKS

__all__ = [
  'ADAPTATIONS',
  'AGGREGATORS',
  'AGGREGATOR_OPTIONS',
  'ATTACKS',
  'ATTACK_OPTIONS',
  'CLIENT_WEIGHTINGS',
  'METHODS',
  'METHOD_OPTIONS',
  'NETWORK_OPTIONS',
  'PARTITIONS',
  'PARTITION_OPTIONS',
  'PRE_AGGREGATION_OPTIONS',
  'PROTOCOLS',
  'ROLES',
  'RUNTIMES',
  'RUNTIME_OPTIONS',
  'TASKS',
  'TASK_OPTIONS',
  'TECHNIQUE_OPTIONS',
  'VALIDATION_CLIENTS',
  'TRANSFORMS',
  'WARM_START_METHOD',
  'WITHOUT_EFFECT',
  'AdaptConfig',
  'AggregationOptions',
  'AttackOptions',
  'ConfigError',
  'InputOptions',
  'LocalLearningOptions',
  'MethodOptions',
  'NewDeviceConfig',
  'OwnModelOptions',
  'PartitionOptions',
  'Protocol',
  'RoundGoal',
  'RuntimeOptions',
  'SamplingOptions',
  'SelectionOptions',
  'StorageOptions',
  'TaskOptions',
  'TrainConfig',
  'TrainingOptions',
  'WarmStartSource',
  'as_baseline',
  'as_own_models',
  'check_new_device',
  'check_runtime',
  'check_warm_start',
  'cohort_options',
  'data_seed',
  'fast',
  'fast_adapt',
  'fast_new_device',
  'find_goal',
  'find_warm_start_baseline',
  'is_own_network',
  'learning_rate',
  'needs_num_rounds',
  'optimizer',
  'resolve',
  'resolve_adapt',
  'scales_mean',
  'schedule',
  'with_cohort',
  'without_baselines',
  'without_cohort',
]
