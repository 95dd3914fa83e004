"""The parts of an advice: runs of one method each, on the same data; read without TensorFlow."""

import dataclasses
from typing import Any

from tff_lg import config as config_lib
from tff_lg import tasks
from tff_lg.config import aggregation, trouble
from tff_lg.config.option import ConfigError
from tff_lg.learning.methods import METHODS, local_only

LG_FEDAVG, FEDAVG, OWN = 'lg_fedavg', 'fedavg', local_only.NAME
# Of a part that is only compared with: without attackers, by the plain mean.
PLAIN = '_plain'


@dataclasses.dataclass(frozen=True)
class AdviseOptions:
  """The models to try for the clients.

  Attributes:
    methods: federated methods.
    local_layer_shares: shares of local layers that LG-FedAvg tries.
    adaptation: techniques that adapt FedAvg's model to each client.
    adaptation_epochs: of these, at most.
  """

  methods: tuple[str, ...] = (FEDAVG, LG_FEDAVG, 'ditto')
  local_layer_shares: tuple[float, ...] = (0.25, 0.5, 0.75)
  adaptation: tuple[str, ...] = ('fine_tune',)
  adaptation_epochs: int = 10

  def __post_init__(self) -> None:
    federated = [name for name, method in METHODS.items() if method.sends_updates]
    for flag, found, known in (
      ('methods', self.methods, federated),
      ('adaptation', self.adaptation, list(config_lib.ADAPTATIONS)),
    ):
      if set(found) - set(known) or len(set(found)) < len(found):
        raise ConfigError(
          f'--{flag} is {",".join(found)}, expected some of {", ".join(known)}, each once.'
        )
    if not self.methods:
      raise ConfigError('--methods is empty, expected one federated method or more.')
    for share in self.local_layer_shares:
      if not 0 < share < 1:
        raise ConfigError(f'--local_layer_shares has {share:g}, expected shares in (0, 1).')
    if not self.local_layer_shares:
      raise ConfigError('--local_layer_shares is empty, expected one share or more.')
    if self.adaptation_epochs < 1:
      raise ConfigError(f'--adaptation_epochs is {self.adaptation_epochs}, expected 1 or more.')


def base_config(config: config_lib.TrainConfig, options: AdviseOptions) -> config_lib.TrainConfig:
  """Returns the resolved config of all methods together, of which parts are made.

  Args:
    config: as the user gave it, without a method or baselines.
    options: what is tried.

  Raises:
    ConfigError: flags that cannot be, or that no advice can have; one sentence.
  """
  first = LG_FEDAVG if LG_FEDAVG in options.methods else options.methods[0]
  others = tuple(name for name in options.methods if name != first)
  config = dataclasses.replace(config, method=first, baselines=(*others, OWN))
  for found, sentence in (
    (
      config.choices.chooses_on_test_data and config.protocol == 'validation',
      '--optimistic_choice_on_test_data is given, but validation data choose the models.',
    ),
    (
      config.protocol != 'validation',
      f'--protocol is {config.protocol}, expected validation, whose data choose the models.',
    ),
    (
      bool(config.max_evaluated_clients),
      '--max_evaluated_clients leaves clients without scores to choose by.',
    ),
    (
      config.local_layer_share is not None,
      '--local_layer_share belongs to a single run; use --local_layer_shares.',
    ),
  ):
    if found:
      raise ConfigError(sentence)
  return config_lib.resolve(config)


def list_parts(
  base: config_lib.TrainConfig, options: AdviseOptions, num_layers: int
) -> dict[str, config_lib.TrainConfig]:
  """Lists the training runs of an advice by their names.

  With an aggregator other than the mean, or attackers, each federated part is trained without both
  as well. The name of that part ends in `_plain`. It shows what the aggregator and the attackers
  cost.

  Args:
    base: of `base_config`.
    options: what is tried.
    num_layers: of the network, which several shares may split alike.
  """
  parts = {OWN: config_lib.as_baseline(base, OWN)}
  for method in options.methods:
    if method != base.method:
      parts[method] = config_lib.as_baseline(base, method)
      continue
    config = config_lib.without_baselines(base)
    splits: dict[int, float] = {}
    for share in options.local_layer_shares:
      splits.setdefault(int(share * num_layers + 0.5), share)
    fitting = [share for num_local, share in splits.items() if 0 < num_local < num_layers]
    network = tasks.find_network(base.task, base.model)
    has_split = base.global_layers is not None or network.conditioning is not None
    if method != LG_FEDAVG or has_split or not fitting:
      parts[method] = config
      continue
    for share in fitting:
      changes: dict[str, Any] = {'local_layer_share': share}
      parts[f'{method}_{share:g}'] = dataclasses.replace(config, **changes)
  plain = {**aggregation.without(), **trouble.without()}
  parts_without = {
    f'{name}{PLAIN}': dataclasses.replace(config, **plain)
    for name, config in parts.items()
    if name != OWN
  }
  is_plain = all(getattr(base, name) == value for name, value in plain.items())
  return parts if is_plain else parts | parts_without


def list_settings(base: config_lib.TrainConfig, options: AdviseOptions) -> dict[str, Any]:
  """Returns what an advice's folder is known by, for `run_settings.check_hparams`."""
  return {**dataclasses.asdict(base), 'advise': dataclasses.asdict(options)}
