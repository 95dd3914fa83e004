"""The tree of an aggregation: its shape, and that whoever reduces a part gets the same."""

import string

from absl.testing import absltest, parameterized

from tff_lg.runtime import reduction


def _steps(num_clients):
  return reduction.Reduction('0', ''.join, lambda halves: f'({halves[0]} {halves[1]})', num_clients)


class ReductionTest(parameterized.TestCase):
  @parameterized.parameters(
    (1, '0a'),
    (10, '0abcdefghij'),
    (13, '(0abcdefghij 0klm)'),
    (22, '((0abcdefghij 0klmnopqrst) 0uv)'),
    (33, '((0abcdefghij 0klmnopqrst) (0uvwxyzABCD 0EFG))'),
  )
  def test_shape(self, num_clients, expected):
    members = dict(enumerate(string.ascii_letters[:num_clients]))
    found = _steps(num_clients).reduce(reduction.root(num_clients), members)
    self.assertEqual(found, expected)

  def test_no_more_than_sixteen_leaves(self):
    self.assertEqual([reduction.leaf_size(n) for n in (10, 160, 161, 1000)], [10, 10, 11, 63])
    self.assertEqual(reduction.root(1000), reduction.Node(4, 0))

  @parameterized.parameters(1, 7, 21, 70)
  def test_any_split_into_ranges_gives_the_same(self, num_clients):
    members = {client: chr(ord('a') + client) for client in range(num_clients)}
    root, steps = reduction.root(num_clients), _steps(num_clients)
    expected = steps.reduce(root, members)
    for first in range(num_clients + 1):
      for second in range(first, num_clients + 1):
        partials = {}
        for start, stop in ((0, first), (first, second), (second, num_clients)):
          for node in reduction.cover(root, start, stop, num_clients):
            partials[node] = steps.reduce(node, members)
        known = {client for node in partials for client in range(*node.span(num_clients))}
        rest = {client: members[client] for client in members if client not in known}
        self.assertEqual(steps.reduce(root, rest, partials), expected)
        self.assertLess(len(rest), 2 * reduction.leaf_size(num_clients) + 1)

  def test_largest_nodes(self):
    found = reduction.cover(reduction.root(78), 3, 78, 78)
    self.assertEqual(
      list(found), [reduction.Node(0, 1), reduction.Node(1, 1), reduction.Node(2, 1)]
    )


if __name__ == '__main__':
  absltest.main()
