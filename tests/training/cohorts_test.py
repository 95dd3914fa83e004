"""Tests of cohorts: how many, how often, and who finishes."""

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg import config as config_lib
from tff_lg import samplings
from tff_lg.training import cohorts


def _sampler(num_clients=20, **changes):
  config = config_lib.resolve(
    config_lib.TrainConfig(**{'num_clients': num_clients, 'clients_per_round': 5, **changes})
  )
  return cohorts.CohortSampler(num_clients, **config_lib.cohort_options(config))


class CohortSamplerTest(parameterized.TestCase):
  def test_fixed_size(self):
    sampler = _sampler()
    for round_num in range(5):
      cohort = sampler(round_num)
      self.assertLen(set(cohort.clients), 5)
      np.testing.assert_array_equal(cohort.work_shares, np.ones(5, np.float32))

  def test_poisson(self):
    sampler = _sampler(cohort_sampling='poisson')
    drawn = [sampler(round_num).clients for round_num in range(400)]
    counts = np.bincount(sum(drawn, []), minlength=20)
    # Binomial: 400 rounds of probability 1/4, four standard deviations.
    np.testing.assert_allclose(counts, 100, atol=4 * np.sqrt(400 * 0.25 * 0.75))
    sizes = [len(clients) for clients in drawn]
    self.assertGreater(np.std(sizes), 1)
    for clients in drawn:
      self.assertLen(set(clients), len(clients))

  def test_poisson_sample_may_be_empty(self):
    sampler = _sampler(num_clients=20, clients_per_round=1, cohort_sampling='poisson')
    empty = [cohort for cohort in map(sampler, range(50)) if not cohort.clients]
    # (1 - 1/20)^20 = 0.36 of rounds.
    self.assertBetween(len(empty), 8, 28)
    self.assertEqual((len(empty[0].work_shares), empty[0].num_uploads), (0, 0))

  def test_cyclic_poisson_groups_take_turns(self):
    sampler = _sampler(cohort_sampling='cyclic_poisson', cohort_groups=3)
    drawn = [sampler(round_num).clients for round_num in range(600)]
    counts = np.bincount(sum(drawn, []), minlength=20)
    # Binomial: 200 turns of probability 3 * 5 / 20, four standard deviations.
    np.testing.assert_allclose(counts, 150, atol=4 * np.sqrt(200 * 0.75 * 0.25))
    groups = [set(sum(drawn[start::3], [])) for start in range(3)]
    self.assertEqual(sorted(map(len, groups)), [6, 7, 7])
    self.assertEqual(set.union(*groups), set(range(20)))
    other = _sampler(cohort_sampling='cyclic_poisson', cohort_groups=3, seed=1)
    self.assertFalse(set(sum((other(3 * k).clients for k in range(50)), [])) <= groups[0])

  def test_all_of_a_group_join_where_it_is_a_cohort(self):
    sampler = _sampler(cohort_sampling='cyclic_poisson', cohort_groups=4)
    turns = [sampler(round_num).clients for round_num in range(8)]
    self.assertEqual(turns[:4], turns[4:])
    self.assertEqual(sorted(sum(turns[:4], [])), list(range(20)))

  def test_other_clients_change_nobody_s_trouble(self):
    few, many = (
      _sampler(clients_per_round=size, client_dropout_rate=0.5, straggler_rate=0.5)
      for size in (5, 20)
    )
    everyone = many(2)
    shares = dict(zip(everyone.clients, everyone.work_shares, strict=True))
    some = few(2)
    self.assertEqual([shares[client] for client in some.clients], some.work_shares.tolist())

  @parameterized.parameters(*samplings.SAMPLINGS)
  def test_any_round_is_the_same_again(self, sampling):
    changes = {'cohort_sampling': sampling, 'client_dropout_rate': 0.4, 'straggler_rate': 0.5}
    changes |= {'cohort_groups': 2} if sampling == 'cyclic_poisson' else {}
    first, again = _sampler(**changes), _sampler(**changes)
    for round_num in (3, 0):
      self.assertEqual(first(round_num).clients, again(round_num).clients)
      np.testing.assert_array_equal(first(round_num).work_shares, again(round_num).work_shares)
    self.assertNotEqual(first(0).clients, first(1).clients)
    self.assertNotEqual(first(0).clients, _sampler(**changes, seed=1)(0).clients)

  def test_trouble_changes_no_cohort(self):
    troubled = _sampler(client_dropout_rate=0.5)
    for round_num in range(3):
      self.assertEqual(_sampler()(round_num).clients, troubled(round_num).clients)
    uploads = sum(troubled(round_num).num_uploads for round_num in range(100))
    self.assertBetween(uploads, 200, 300)

  def test_refuses(self):
    for options, sentence in (
      ((20, 21), 'clients_per_round is 21, expected 1 to 20, all clients'),
      ((20, 0), 'clients_per_round is 0'),
    ):
      with self.assertRaisesRegex(ValueError, sentence):
        cohorts.CohortSampler(*options)
    with self.assertRaisesRegex(
      ValueError, 'sampling is some, expected one of fixed_size, poisson, cyclic_poisson'
    ):
      cohorts.CohortSampler(20, 5, sampling='some')
    with self.assertRaisesRegex(ValueError, 'is 5, expected 1 to 4: groups of all 20 clients hold'):
      cohorts.CohortSampler(20, 5, sampling='cyclic_poisson', cohort_groups=5)

  def test_everybody(self):
    cohort = cohorts.everybody(3)(7)
    self.assertEqual((cohort.clients, cohort.num_uploads), ([0, 1, 2], 3))

  def test_most_participations(self):
    sampler = _sampler()
    drawn = [client for round_num in range(7) for client in sampler(round_num).clients]
    self.assertEqual(sampler.most_participations(7), max(map(drawn.count, drawn)))
    self.assertEqual(_sampler(clients_per_round=20).most_participations(7), 7)


if __name__ == '__main__':
  absltest.main()
