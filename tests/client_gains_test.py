"""Tests of gains by client, and of the share of clients that do worse."""

import math

import numpy as np
import pandas as pd
from absl.testing import absltest

from tff_lg import client_gains


class ClientGainsTest(absltest.TestCase):
  def test_by_client_without_the_unknown(self):
    method = pd.Series({'a': 0.75, 'b': math.nan, 'c': 0.5})
    other = pd.Series({'c': 1.0, 'b': 0.25, 'a': 0.5})
    gains = client_gains.client_gains(method, other)
    self.assertEqual(gains.to_dict(), {'a': 0.25, 'c': -0.5})

  def test_where_less_is_better(self):
    first, second = pd.Series({'a': 2.0, 'b': 1.0}), pd.Series({'a': 3.5, 'b': 0.0})
    gains = client_gains.client_gains(first, second, more_is_better=False)
    self.assertEqual(gains.to_dict(), {'a': 1.5, 'b': -1.0})

  def test_rounding_is_not_a_difference(self):
    method = pd.Series(np.array([0.6, 0.7, 0.7], np.float32))
    gains = client_gains.client_gains(method, pd.Series([0.6, 0.7, 0.7 + 2e-6]))
    self.assertEqual(list(gains[:2]), [0, 0])
    self.assertLess(gains[2], 0)


class ShareWorseTest(absltest.TestCase):
  def test_share(self):
    self.assertEqual(client_gains.share_worse(pd.Series([-0.1, 0.0, 0.1, 0.2])), 0.25)

  def test_nobody(self):
    self.assertTrue(math.isnan(client_gains.share_worse(pd.Series([], dtype=float))))


if __name__ == '__main__':
  absltest.main()
