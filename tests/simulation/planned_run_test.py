"""Tests of what is built of a config before a run writes anything."""

import os
import types

from absl.testing import absltest

from tests.simulation import running
from tff_lg import config as config_lib
from tff_lg.inputs import tasks
from tff_lg.simulation import planned_run


def setUpModule():
  running.set_up_module()


class PlanRunTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path + '/run'

  def _plan(self, **options):
    config = config_lib.resolve(
      config_lib.TrainConfig(
        num_clients=5, clients_per_round=2, rounds=3, baselines=(), hidden_units=(2,), **options
      )
    )
    federated_data = tasks.load_data(config.input_options)
    model = tasks.build_model(config.input_options, federated_data)
    return planned_run.plan_run(config, federated_data, model, self.folder)

  def test_has_the_phases_of_its_config_and_writes_nothing(self):
    plan = self._plan(method='lg_fedavg', warm_start_rounds=2)
    self.assertEqual(
      [(p.method, p.num_rounds) for p in plan.phases], [('fedavg', 2), ('lg_fedavg', 3)]
    )
    self.assertEqual((plan.num_clients, plan.budget, plan.adversary), (5, None, None))
    self.assertFalse(os.path.exists(self.folder))

  def test_what_cannot_be_is_refused_before_anything_is_written(self):
    with self.assertRaisesRegex(ValueError, 'all 5 clients would be malicious'):
      self._plan(attack='sign_flip', malicious_share=0.99)
    self.assertFalse(os.path.exists(self.folder))

  def test_a_choice_changes_config_phases_and_summary(self):
    plan = self._plan()
    chosen = plan.with_choice(
      types.SimpleNamespace(changes=lambda: {'rounds': 5}, summary=lambda: {'rate': 0.1})
    ).with_choice(types.SimpleNamespace(changes=dict, summary=lambda: {'split': 'a'}))
    self.assertEqual((plan.config.rounds, chosen.config.rounds), (3, 5))
    self.assertEqual([phase.num_rounds for phase in chosen.phases], [5])
    self.assertEqual((plan.chosen, chosen.chosen), ({}, {'rate': 0.1, 'split': 'a'}))


if __name__ == '__main__':
  absltest.main()
