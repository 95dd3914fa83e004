"""Local processing between communications is put into groups."""

import numpy as np
from absl.testing import absltest

from tests.runtime import two_stages
from tff_lg.compatibility import tff
from tff_lg.runtime import groups
from tff_lg.runtime import tff_internals as internals


def _plan(computation):
  return groups.plan(internals.compile_computation(computation).result)


class PlanTest(absltest.TestCase):
  def test_one_group_a_placement_between_communications(self):
    plan = _plan(two_stages.in_two_stages)
    found = [part for part in plan if isinstance(part, groups.Group)]
    self.assertEqual([group.placement for group in found], [tff.CLIENTS, tff.SERVER, tff.CLIENTS])
    functions = [part[1].function for part in plan if isinstance(part, tuple)]
    self.assertCountEqual(
      [function.uri for function in functions if isinstance(function, tff.framework.Intrinsic)],
      ['federated_aggregate', 'federated_broadcast'],
    )

  def test_results_are_what_others_need(self):
    first, *_ = [part for part in _plan(two_stages.in_two_stages) if isinstance(part, groups.Group)]
    inside = {name for name, _ in first.local_values}
    self.assertLess(set(first.results), inside)

  def test_every_value_comes_after_what_it_needs(self):
    block = internals.compile_computation(two_stages.in_two_stages)
    known = {block.parameter_name}
    for part in groups.plan(block.result):
      values = part.local_values if isinstance(part, groups.Group) else [part]
      for name, value in values:
        free = {n for n in groups.references(value) if not n.startswith('_var')}
        self.assertLessEqual(free & {n for n, _ in block.result.locals}, known)
        known.add(name)

  def test_values_that_all_clients_share_are_worked_out_once(self):
    @tff.federated_computation(tff.FederatedType(np.float32, tff.SERVER))
    def compute(value):
      return tff.federated_map(two_stages.add_one, tff.federated_broadcast(value))

    for part in _plan(compute):
      if isinstance(part, groups.Group):
        for _, value in part.local_values:
          self.assertFalse(value.type_signature.all_equal)


if __name__ == '__main__':
  absltest.main()
