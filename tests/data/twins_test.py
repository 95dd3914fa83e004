"""Tests of the IID twin: sizes stay, examples move, nothing is lost."""

import numpy as np
from absl.testing import absltest

from tff_lg import data

_PARTS = ('train', 'validation', 'test')


class IidTwinTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.natural = data.load_text()
    self.twin = data.iid_twin(self.natural, seed=3)

  def test_clients_keep_their_sizes(self):
    for part in _PARTS:
      sizes, same = (
        [len(getattr(client, part)) for client in of.clients] for of in (self.natural, self.twin)
      )
      self.assertEqual(sizes, same)
    self.assertEqual(self.twin.clients[3].client_id, 'client_03')

  def test_every_example_is_still_there_with_its_labels(self):
    for part in _PARTS:
      before, after = (
        sorted(
          (*x, *y)
          for client in of.clients
          for x, y in zip(getattr(client, part).x, getattr(client, part).y, strict=True)
        )
        for of in (self.natural, self.twin)
      )
      self.assertEqual(before, after)
    self.assertIs(self.twin.test, self.natural.test)

  def test_clients_have_examples_of_others(self):
    own = {tuple(row) for row in self.natural.clients[0].train.x}
    mine = [tuple(row) in own for row in self.twin.clients[0].train.x]
    self.assertLess(np.mean(mine), 0.5)

  def test_seed(self):
    again, other = (data.iid_twin(self.natural, seed).clients[0].train.x for seed in (3, 4))
    np.testing.assert_array_equal(again, self.twin.clients[0].train.x)
    self.assertFalse(np.array_equal(other, self.twin.clients[0].train.x))


if __name__ == '__main__':
  absltest.main()
