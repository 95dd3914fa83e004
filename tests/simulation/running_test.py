"""Tests of which runs of one process share what is built."""

import dataclasses
import types
from unittest import mock

import numpy as np
from absl.testing import absltest

from tests.simulation import running
from tff_lg import config as config_lib
from tff_lg import learning
from tff_lg.learning import methods
from tff_lg.simulation import run_phases

_CONFIG = config_lib.TrainConfig()
_GROUPS = ('task', 'method', 'training', 'sampling', 'aggregation', 'attack')
_MODEL = types.SimpleNamespace(
  weight_names=('kernel',),
  weight_is_global=(True,),
  functional=types.SimpleNamespace(input_spec=None),
  initial_weights=(np.zeros(1, np.float32),),
)
_ATTACKED = types.SimpleNamespace(attack=types.SimpleNamespace(update_attack=abs))


@dataclasses.dataclass(frozen=True)
class _Config(config_lib.TrainConfig):
  """With an option that no group has yet."""

  new: int = 0


def _changed(config, field):
  choices = [each for each in field.metadata.get('choices') or () if each != field.default]
  return dataclasses.replace(config, **{field.name: (*choices, 'another')[0]})


class RunningTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.build = mock.Mock()
    self.enter_context(mock.patch.object(methods.Method, 'build_process', self.build))
    self.enter_context(mock.patch.object(run_phases, 'build_phases', self._build_phases))
    running.share_processes()

  def _build_phases(self, *unused_arguments):
    learning.METHODS['fedavg'].build_process()

  def _num_built(self, *configs, adversary=None):
    before = self.build.call_count
    for config in configs:
      run_phases.build_phases(config, _MODEL, adversary=adversary)
    return self.build.call_count - before

  def test_a_change_of_any_option_that_trains_gives_another_process(self):
    self.assertEqual(self._num_built(_CONFIG, _CONFIG, adversary=_ATTACKED), 1)
    groups = [getattr(_CONFIG, f'{name}_options') for name in _GROUPS]
    fields = {field.name: field for group in groups for field in dataclasses.fields(group)}
    without = {'baselines', 'rounds', 'warm_start_rounds'}
    self.assertEqual(running.NO_PROCESS & set(fields), without)
    for name in set(fields) - without:
      with self.subTest(name):
        self.assertEqual(self._num_built(_changed(_CONFIG, fields[name]), adversary=_ATTACKED), 1)

  def test_an_option_that_nobody_has_named_counts(self):
    self.assertEqual(self._num_built(_Config(), _Config(new=1)), 2)

  def test_what_no_process_depends_on_is_shared(self):
    self._num_built(_CONFIG)
    fields = [each for each in dataclasses.fields(_CONFIG) if each.name in running.NO_PROCESS]
    attack = dataclasses.fields(config_lib.AttackOptions)
    rounds = [dataclasses.replace(_CONFIG, rounds=7)]
    self.assertEqual(
      self._num_built(
        *rounds,
        *(
          _changed(_CONFIG, each) for each in (*fields, *attack) if each.name not in running.ROUNDS
        ),
      ),
      0,
    )

  def test_rounds_count_where_a_warm_start_or_a_schedule_needs_them(self):
    self.assertEqual(self._num_built(_CONFIG, dataclasses.replace(_CONFIG, warm_start_rounds=1)), 2)
    cosine = dataclasses.replace(_CONFIG, client_schedule='cosine')
    self.assertEqual(self._num_built(cosine, dataclasses.replace(cosine, rounds=7)), 2)


if __name__ == '__main__':
  absltest.main()
