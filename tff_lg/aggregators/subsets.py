"""How many subsets of a cohort a rule may compare."""

import math

# So many take a second and 100 MB.
MOST = 200_000


def check(num_byzantine: int, num_clients: int) -> None:
  """Refuses numbers of which all subsets without the attackers cannot be compared.

  Args:
    num_byzantine: f, clients that a subset leaves out.
    num_clients: n.

  Raises:
    ValueError: f is not less than half of n, or there are more than `MOST` subsets; one sentence.
  """
  if not 0 <= num_byzantine <= (num_clients - 1) // 2:
    raise ValueError(
      f'num_byzantine is {num_byzantine}, expected from 0 to (num_clients - 1) / 2 with '
      f'num_clients {num_clients}.'
    )
  if (number := math.comb(num_clients, num_byzantine)) > MOST:
    raise ValueError(
      f'num_byzantine is {num_byzantine} of {num_clients} clients: {number:,} subsets, expected '
      f'at most {MOST:,}.'
    )
