"""The task `school`: exam scores of pupils by school, by a linear model."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import data
from tff_lg.tasks import shared, task, text

if TYPE_CHECKING:
  import tensorflow as tf

_TEST_FRACTION = 0.15
# Of the pupils that are not for testing: 15 % of all.
_VALIDATION_FRACTION = 0.15 / 0.85


@attrs.frozen(kw_only=True)
class Options:
  """Options of the School data."""

  test_fraction: float | None = shared.test_fraction()


def _defaults(config: Any) -> Mapping[str, Any]:
  del config
  return {'test_fraction': _TEST_FRACTION, 'validation_fraction': _VALIDATION_FRACTION}


def _check(config: Any) -> Iterator[str]:
  yield from text.users_are_clients(config, 'pupils')


def _look_at_files(options: Options, data_dir: str | None) -> None:
  from tff_lg.data import first_bytes, school  # They import NumPy.

  del options
  if data_dir is not None:
    first_bytes.check_files(data_dir, {})
    school.find_file(data_dir)


def _load(options: Options, setting: task.Setting) -> data.FederatedData:
  from tff_lg.data import school

  return school.load_school(
    None if setting.data_dir is None else os.path.expanduser(setting.data_dir),
    test_fraction=options.test_fraction or 0.0,
    validation_fraction=setting.validation_fraction,
    choose_held_out=setting.choose_held_out,
    seed=setting.seed,
  )


def _build_network(options: Any, setting: task.NetworkSetting) -> tf.keras.Model:
  from tff_lg import models  # It imports TensorFlow.

  del options
  return models.build_linear(setting.data.test.x.shape[1:], setting.data.num_classes)


task.register(
  task.TaskEntry(
    name='school',
    label='exam scores of pupils by school, a number to predict',
    options=Options,
    network=task.NetworkEntry(
      name='linear', label='a linear model from zero', build=_build_network
    ),
    load_data=_load,
    data_dir='school.mat or its folder (schools are generated without it)',
    partition='natural',
    cohort_share=1.0,
    objectives=('regression',),
    has_images=False,
    fits_reference=False,
    defaults=_defaults,
    fast=lambda config: {'test_fraction': config.test_fraction},
    contradictions=_check,
    look_at_files=_look_at_files,
  )
)
