"""Tests of clients held out of training."""

import numpy as np
from absl.testing import absltest

from tff_lg import data
from tff_lg.data import held_out

_NOTHING = data.Examples(np.zeros((0, 1), np.float32), np.zeros(0, np.int32))


def _clients(*names):
  return tuple(data.ClientExamples(name, _NOTHING, _NOTHING, _NOTHING) for name in names)


class HeldOutTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.data = data.FederatedData(_clients('a', 'b', 'c', 'd'), _NOTHING, 2, ('no', 'yes'))

  def test_both_groups_keep_their_order(self):
    split = data.hold_out_clients(self.data, lambda ids: [ids[2], ids[0]])
    self.assertEqual([client.client_id for client in split.clients], ['b', 'd'])
    self.assertEqual([client.client_id for client in split.held_out], ['a', 'c'])
    together = data.readmit_held_out(split)
    self.assertEqual([client.client_id for client in together.clients], ['b', 'd', 'a', 'c'])
    self.assertEqual(together.held_out, ())

  def test_nobody(self):
    same = data.hold_out_clients(self.data, held_out.nobody)
    self.assertEqual((same.clients, same.held_out), (self.data.clients, ()))


if __name__ == '__main__':
  absltest.main()
