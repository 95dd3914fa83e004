"""Tests of which adaptations of one process share what is built."""

import dataclasses
import functools
import types
from unittest import mock

import numpy as np
from absl.testing import absltest

from tests.personalization import sharing
from tff_lg import config as config_lib
from tff_lg.personalization import adaptation_work

_CONFIG = config_lib.AdaptConfig(learning_rate=(0.1,))


def _source(weight=0.0, **fields):
  functional = types.SimpleNamespace(input_spec=None)
  model = types.SimpleNamespace(
    weight_names=('kernel',),
    weight_is_global=(True,),
    functional=functional,
    initial_weights=(np.full(1, weight, np.float32),),
  )
  return types.SimpleNamespace(model=model, config=config_lib.TrainConfig(**fields))


def _changed(field):
  changed = dataclasses.replace(_CONFIG)
  object.__setattr__(changed, field.name, 'another')  # Whether it could be is not the question.
  return changed


class SharingTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.build = mock.Mock()
    stub = functools.cached_property(lambda _: self.build())
    self.enter_context(mock.patch.object(adaptation_work.AdaptationWork, '_processes', stub))
    self.enter_context(mock.patch.object(adaptation_work.ModelEvaluator, '_process', stub))
    sharing.share_processes()

  def _is_built(self, config=_CONFIG, name='fine_tune', source=None):
    """Returns whether an adaptation builds something."""
    before = self.build.call_count
    work = types.SimpleNamespace(_config=config, _name=name, _source=source or _source())
    adaptation_work.AdaptationWork._processes.func(work)
    return self.build.call_count > before

  def test_every_option_counts_that_is_not_named(self):
    self.assertTrue(self._is_built())
    self.assertFalse(self._is_built())
    for field in dataclasses.fields(_CONFIG):
      with self.subTest(field.name):
        self.assertEqual(self._is_built(_changed(field)), field.name not in sharing.NO_PROCESS)

  def test_technique_task_and_model_count(self):
    self._is_built()
    self.assertTrue(self._is_built(name='freeze_base'))
    for source in (_source(task='cifar10'), _source(weight=1.0)):
      self.assertTrue(self._is_built(source=source))

  def test_evaluations_of_one_model_share(self):
    for source in (_source(), _source(rounds=7), _source(weight=1.0)):
      adaptation_work.ModelEvaluator._process.func(types.SimpleNamespace(_source=source))
    self.assertEqual(self.build.call_count, 2)


if __name__ == '__main__':
  absltest.main()
