"""The config of a training run: every choice in one value, checked before anything is loaded.

The room is light: it imports neither TensorFlow nor NumPy, and of other rooms their entries alone
(tasks, networks, methods, aggregators, attacks, partitions, techniques, optimisers).
`pipelines.train` makes its flags out of `TrainConfig`, `pipelines.adapt` its own out of
`AdaptConfig`, `pipelines.new_device` out of `NewDeviceConfig`, so there is no second list.
"""

from tff_lg.config.adapt_config import (
  ADAPTATIONS,
  TECHNIQUE_OPTIONS,
  AdaptConfig,
  fast_adapt,
  resolve_adapt,
)
from tff_lg.config.aggregation import AGGREGATOR_OPTIONS, AGGREGATORS, without_cohort
from tff_lg.config.derived import as_baseline, as_own_models, fast, without_baselines
from tff_lg.config.entry_options import METHOD_OPTIONS
from tff_lg.config.new_device_config import (
  TRANSFORMS,
  NewDeviceConfig,
  check_new_device,
  fast_new_device,
)
from tff_lg.config.optimization import (
  ROLES,
  learning_rate,
  needs_num_rounds,
  optimizer,
  scales_mean,
  schedule,
)
from tff_lg.config.option import ConfigError
from tff_lg.config.own_network import is_own as is_own_network
from tff_lg.config.partition import PARTITION_OPTIONS, PARTITIONS
from tff_lg.config.protocols import PROTOCOLS, Protocol
from tff_lg.config.repetition import data_seed
from tff_lg.config.rules import resolve, with_cohort
from tff_lg.config.runtime import RUNTIME_OPTIONS, RUNTIMES, RuntimeOptions
from tff_lg.config.runtime import check as check_runtime
from tff_lg.config.sampling import cohort_options
from tff_lg.config.task import NETWORK_OPTIONS, TASK_OPTIONS
from tff_lg.config.train_config import (
  CLIENT_WEIGHTINGS,
  METHODS,
  WITHOUT_EFFECT,
  TrainConfig,
)
from tff_lg.config.trouble import ATTACK_OPTIONS, ATTACKS
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
  'PROTOCOLS',
  'ROLES',
  'RUNTIMES',
  'RUNTIME_OPTIONS',
  'TASKS',
  'TASK_OPTIONS',
  'TECHNIQUE_OPTIONS',
  'TRANSFORMS',
  'WITHOUT_EFFECT',
  'AdaptConfig',
  'ConfigError',
  'NewDeviceConfig',
  'Protocol',
  'RuntimeOptions',
  'TrainConfig',
  'as_baseline',
  'as_own_models',
  'check_new_device',
  'check_runtime',
  'cohort_options',
  'data_seed',
  'fast',
  'fast_adapt',
  'fast_new_device',
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
