"""Adaptations of one test process share what is built of equal values."""

import dataclasses
import functools
from typing import Any

from tests.simulation import running
from tff_lg import adaptation, learning
from tff_lg import config as config_lib
from tff_lg.personalization import adaptation_work

# Options on which no process depends: where the runs are, whose data are used, what is chosen.
NO_PROCESS = {
  *('from_run', 'data_dir', 'local_only_from', 'max_clients', 'clients_per_chunk', 'seed'),
  *('adaptation', 'choose', 'start', 'aggregate_epochs', 'retrain_without'),
  *(field.name for field in dataclasses.fields(config_lib.OwnModelOptions)),
}


def set_up_module() -> None:
  """Lets runs of this process and their adaptations share what is built of equal values."""
  running.set_up_module()
  share_processes()


def share_processes() -> None:
  """Makes adaptations and evaluations of this process share what is built of equal values."""
  _share(adaptation_work.AdaptationWork, '_processes', _values)
  _share(
    adaptation_work.ModelEvaluator, '_process', lambda of: running.model_values(of._source.model)
  )


def _share(of_class: type[Any], name: str, values: Any) -> None:
  """Makes objects of equal values share a cached property."""
  build, built = getattr(of_class, name).func, {}

  def build_once(one: Any) -> list[adaptation.AdaptationProcess] | learning.LocalGlobalProcess:
    key = repr(values(one))
    if key not in built:
      built[key] = build(one)
    return built[key]

  shared = functools.cached_property(build_once)
  shared.__set_name__(of_class, name)
  setattr(of_class, name, shared)


def _values(work: adaptation_work.AdaptationWork) -> tuple[Any, ...]:
  config = {
    name: value
    for name, value in dataclasses.asdict(work._config).items()
    if name not in NO_PROCESS
  }
  source = work._source
  return work._name, config, source.config.task_options, running.model_values(source.model)
