"""The ways to sample cohorts: values of `--cohort_sampling`, and of what accountants assume."""

import math

FIXED_SIZE, POISSON, CYCLIC_POISSON = 'fixed_size', 'poisson', 'cyclic_poisson'

# Which clients the cohort of a round has, for help texts.
SAMPLINGS = {
  FIXED_SIZE: 'cohorts have exactly --clients_per_round clients',
  POISSON: 'each client takes part with the same probability, and cohorts have '
  '--clients_per_round clients on average',
  CYCLIC_POISSON: 'clients are dealt into --cohort_groups groups that take turns, and those of the '
  'group take part as with poisson',
}


def size_of_cohort(num_clients: int, fraction: float) -> int:
  """Returns the size of a cohort, max(C K, 1) of McMahan et al., Algorithm 1, rounded down.

  Args:
    num_clients: K, positive.
    fraction: C, in (0, 1].
  """
  # 0.29 * 100 is a little below 29.
  return max(math.floor(num_clients * fraction + 1e-9), 1)


def check_groups(cohort_groups: int | None, clients_per_round: int, num_clients: int) -> None:
  """Refuses groups that are smaller than a cohort.

  Args:
    cohort_groups: into which clients are dealt; groups differ in size by one at most.
    clients_per_round: size of a cohort, on average.
    num_clients: of all groups.

  Raises:
    ValueError: there are no groups, or too many; the sentence begins with the option's name.
  """
  if not 1 <= (cohort_groups or 0) <= num_clients // clients_per_round:
    raise ValueError(
      f'cohort_groups (or dp_bands) is {cohort_groups}, expected 1 to '
      f'{num_clients // clients_per_round}: groups of all {num_clients} clients hold a cohort of '
      f'{clients_per_round} each.'
    )
