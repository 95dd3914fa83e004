"""The options of a run's inputs: its clients' data and its model."""

import dataclasses

from tff_lg.config import common, metric_options, partition, task


@dataclasses.dataclass(frozen=True)
class InputOptions(
  task.TaskOptions,
  partition.PartitionOptions,
  metric_options.MetricOptions,
  common.CommonOptions,
):
  """The choices of the data, their partition, the network and its metrics."""
