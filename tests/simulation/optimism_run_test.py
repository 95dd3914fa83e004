"""Tests of what a run says of a choice on test data: a run with this choice has the same."""

import functools

import numpy as np
from absl.testing import absltest, parameterized

from tests.simulation import running

_NO_WARM_START = {'method': 'fedavg', 'warm_start_rounds': 0}
_run = functools.partial(
  running.run, running.LG_ON_DIGITS, warm_start_rounds=2, rounds=6, evaluate_every=1
)


def setUpModule():
  running.set_up_module()


class OptimismRunTest(parameterized.TestCase):
  def _summary(self, **changes):
    return _run(self.create_tempdir().full_path + '/run', **changes)

  @parameterized.named_parameters(
    ('a_model_per_client', {}, 'local_test/accuracy/mean_over_clients'),
    ('one_model', _NO_WARM_START, 'local_test/accuracy/mean_over_clients'),
    (
      'alone',
      {**_NO_WARM_START, 'method': 'local_only', 'local_budget': 'cohort'},
      'local_test/accuracy/mean_over_clients',
    ),
    ('less_is_better', {'selection_metric': 'loss'}, 'local_test/loss/mean_over_clients'),
    (
      'pooled',
      {'selection_scope': 'pooled'},
      'local_test/accuracy/pooled',
      'pooled_test/accuracy',
    ),
  )
  def test_is_what_a_choice_on_test_data_has(self, changes, name, name_of_chosen=None):
    plain = self._summary(**changes)
    on_test = self._summary(**changes, optimistic_choice_on_test_data=True)
    expected = on_test[name_of_chosen or name]
    np.testing.assert_allclose(plain[f'optimistic/{name}'], expected, rtol=1e-6)
    self.assertFalse([key for key in on_test if key.startswith('optimistic/')])

  def test_is_better_than_the_choice_on_validation_data(self):
    summary = self._summary()
    name = 'local_test/accuracy/mean_over_clients'
    self.assertGreater(summary[f'optimistic/{name}'], summary[name])


if __name__ == '__main__':
  absltest.main()
