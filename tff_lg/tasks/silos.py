"""The tasks of Motley's cross-silo benchmark: `school` and `vehicle`, by linear models."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from tff_lg import data
from tff_lg.tasks import shared, task, text

if TYPE_CHECKING:
  import tensorflow as tf

  from tff_lg.data import silos

_TEST_FRACTION = 0.15
# Of the examples that are not for testing: 15 % of all.
_VALIDATION_FRACTION = 0.15 / 0.85


@attrs.frozen(kw_only=True)
class Options:
  """Options of data by silo."""

  test_fraction: float | None = shared.test_fraction()


# What the silos of a file are, and the function that reads them.
_Reader: TypeAlias = 'tuple[silos.Kind, Callable[..., data.FederatedData]]'


def _school() -> _Reader:
  from tff_lg.data import school  # It imports NumPy.

  return school.SCHOOLS, school.load_school


def _vehicle() -> _Reader:
  from tff_lg.data import vehicle

  return vehicle.SENSORS, vehicle.load_vehicle


def _defaults(config: Any) -> Mapping[str, Any]:
  del config
  return {'test_fraction': _TEST_FRACTION, 'validation_fraction': _VALIDATION_FRACTION}


def _build_network(options: Any, setting: task.NetworkSetting) -> tf.keras.Model:
  from tff_lg import models  # It imports TensorFlow.

  del options
  return models.build_linear(setting.data.test.x.shape[1:], setting.data.num_classes)


def _register(
  name: str,
  label: str,
  *,
  examples: str,
  objective: str,
  reader: Callable[[], _Reader],
) -> None:
  """Registers a task.

  Args:
    name: of the task.
    label: for the help.
    examples: what the examples of a silo are.
    objective: what is predicted of one.
    reader: () -> what the silos are, and what reads them.
  """

  def look_at_files(options: Options, data_dir: str | None) -> None:
    from tff_lg.data import first_bytes, silos

    del options
    if data_dir is not None:
      first_bytes.check_files(data_dir, {})
      silos.find_file(data_dir, reader()[0])

  def read(options: Options, setting: task.Setting) -> data.FederatedData:
    return reader()[1](
      None if setting.data_dir is None else os.path.expanduser(setting.data_dir),
      test_fraction=options.test_fraction or 0.0,
      validation_fraction=setting.validation_fraction,
      choose_held_out=setting.choose_held_out,
      seed=setting.seed,
    )

  task.register(
    task.TaskEntry(
      name=name,
      label=label,
      options=Options,
      network=task.NetworkEntry(
        name='linear', label='a linear model from zero', build=_build_network
      ),
      load_data=read,
      data_dir=f'{name}.mat or its folder (silos are generated without it)',
      partition='natural',
      client_fraction=1.0,
      objectives=(objective,),
      has_images=False,
      fits_reference=False,
      defaults=_defaults,
      fast=lambda config: {'test_fraction': config.test_fraction},
      contradictions=lambda config: text.users_are_clients(config, examples),
      look_at_files=look_at_files,
    )
  )


_register(
  'school',
  'exam scores of pupils by school, a number to predict',
  examples='pupils',
  objective='regression',
  reader=_school,
)
_register(
  'vehicle',
  'vehicles of two classes by the sensor that saw them',
  examples='vehicles',
  objective='classification',
  reader=_vehicle,
)
