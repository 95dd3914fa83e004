"""Tests of the trials of a suite of robustness, before any is run."""

import attrs
from absl.testing import absltest

from pipelines import robustness_trials
from tff_lg import config as config_lib
from tff_lg import suites


def _plan(byzantine, rules):
  suite = attrs.evolve(suites.ROBUSTNESS_SUITES['byzantine'], byzantine=byzantine)
  return robustness_trials.Plan(
    suite,
    suite.choose_methods(rules),
    data=None,
    arguments=(),
    num_repeats=1,
    search_repeats=1,
    search='start',
    rounds=3,
    is_fast=False,
  )


class PlanTest(absltest.TestCase):
  def test_no_rule_against_so_many_attackers(self):
    # Bulyan wants 4 f + 3 clients, of which the suite has 20.
    sentence = '^--methods is bulyan: no rule survives so many attackers.$'
    with self.assertRaisesRegex(config_lib.ConfigError, sentence):
      _plan((5, 7), ['bulyan']).check()


if __name__ == '__main__':
  absltest.main()
