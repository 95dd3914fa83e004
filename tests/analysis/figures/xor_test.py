"""Tests of the figure of XOR with two clients."""

import numpy as np
from absl.testing import absltest

from tff_lg.analysis import style
from tff_lg.analysis.figures import xor

# w_f = (1, 0), w_g = (0, 2), b = (0.5, -1); client 0 shifts by (0, 1), client 1 by (-1, 0).
_SHARED = {
  'gated_1/kernel': np.array([[1.0, 0.0], [0.0, 2.0]]),
  'gated_1/bias': np.array([0.5, -1.0]),
  'gated_1/conditioning': np.array([[0.0, 1.0], [-1.0, 0.0]]),
  'output/kernel': np.array([[-1.0, 3.0]]),
  'output/bias': np.array([0.25, 0.5]),
}
_MLP = {
  'hidden_1/kernel': np.array([[1.0, -1.0], [1.0, -1.0]]),
  'hidden_1/bias': np.zeros(2),
  'output/kernel': np.array([[0.0, -4.0], [0.0, -4.0]]),
  'output/bias': np.array([0.0, 4.0]),
}
_CORNERS = np.array([[1.0, 1.0], [-1.0, 1.0]]), np.array([[1.0, -1.0], [-1.0, -1.0]])
_TRAIN = ((_CORNERS[0], np.array([0, 1])), (_CORNERS[1], np.array([1, 0])))


def _sigmoid(z):
  return 1 / (1 + np.exp(-z))


class GatedUnitTest(absltest.TestCase):
  def test_parts_by_hand(self):
    unit = xor.GatedUnit.from_weights([_SHARED, _SHARED])
    x, client = np.array([[0.5, 1.0], [0.5, 1.0]]), np.array([0, 1])
    np.testing.assert_allclose(unit.filter(x, client), np.tanh([1.0, 0.0]))
    np.testing.assert_allclose(unit.filter(x, client, conditioned=False), np.tanh([1.0, 1.0]))
    np.testing.assert_allclose(unit.gate(x, client), _sigmoid(np.array([2.0, 1.0])))
    np.testing.assert_allclose(unit.gate(x, client, conditioned=False), _sigmoid(np.ones(2)))

    # The difference of the logits is 4 h + 0.25.
    full = unit.probability(x[:1], client[:1])
    np.testing.assert_allclose(full, [_sigmoid(4 * np.tanh(1) * _sigmoid(2) + 0.25)])
    gate_only = unit.probability(x[1:], client[1:], condition_filter=False)
    np.testing.assert_allclose(gate_only, [_sigmoid(4 * np.tanh(1) * _sigmoid(1) + 0.25)])
    filter_only = unit.probability(x[:1], client[:1], condition_gate=False)
    np.testing.assert_allclose(filter_only, [_sigmoid(4 * np.tanh(1) * _sigmoid(1) + 0.25)])

  def test_local_shifts_are_read_from_each_client(self):
    def client(shift):
      others = {name: w for name, w in _SHARED.items() if name != 'gated_1/conditioning'}
      return others | {'shift_1/filter': shift[:1], 'shift_1/gate': shift[1:]}

    shifts = _SHARED['gated_1/conditioning']
    unit = xor.GatedUnit.from_weights([client(shift) for shift in shifts])
    np.testing.assert_array_equal(unit.shifts, shifts)

  def test_mlp_by_hand(self):
    # |x1 + x2| is 2 or 0: the logit of class 1 is 4 - 4 * 2 or 4.
    probability = xor.mlp_probability(_MLP, np.concatenate(_CORNERS))
    np.testing.assert_allclose(probability, _sigmoid(np.array([-4.0, 4.0, 4.0, -4.0])))


class XorPanelsTest(absltest.TestCase):
  def test_eight_panels(self):
    figure = xor.xor_panels(_TRAIN, _MLP, (_SHARED, _SHARED))
    titles = [axes.get_title() for axes in figure.axes[:8]]
    self.assertEqual(titles[0], 'MLP, two hidden units: 100.0%')
    self.assertEqual(titles[2:4], ['filter, no shift', 'filter, shifted by client'])
    self.assertEqual(titles[6:], ['gate, no shift', 'gate, shifted by client'])
    for title, name in zip(
      (titles[1], titles[4], titles[5]),
      ('CGAU, one unit', 'CGAU, modulation only', 'CGAU, expression only'),
      strict=True,
    ):
      self.assertStartsWith(title, f'{name}: ')
    self.assertStartsWith(style.png_bytes(figure), b'\x89PNG')

  def test_each_half_is_as_its_client_sees_it(self):
    figure = xor.xor_panels(_TRAIN, _MLP, (_SHARED, _SHARED))
    plain, shifted = (figure.axes[i].images[0].get_array() for i in (2, 3))
    half = len(plain) // 2
    # The first rows are the lowest x2: client 1, whose filter is shifted by -1.
    np.testing.assert_allclose(np.arctanh(shifted[:half]) - np.arctanh(plain[:half]), -1)
    np.testing.assert_array_equal(shifted[half:], plain[half:])

  def test_the_filter_modulates_and_the_gate_expresses(self):
    figure = xor.xor_panels(_TRAIN, _MLP, (_SHARED, _SHARED))
    full, modulation, expression = (figure.axes[i].images[0].get_array() for i in (1, 4, 5))
    up, down = slice(len(full) // 2, None), slice(None, len(full) // 2)
    # Client up shifts the gate only, client down the filter only.
    np.testing.assert_array_equal(expression[up], full[up])
    np.testing.assert_array_equal(modulation[down], full[down])
    self.assertGreater(np.abs(modulation[up] - full[up]).max(), 0.1)
    self.assertGreater(np.abs(expression[down] - full[down]).max(), 0.1)

  def test_equal_weights_equal_bytes(self):
    one, other = (
      style.png_bytes(xor.xor_panels(_TRAIN, _MLP, (_SHARED, _SHARED))) for _ in range(2)
    )
    self.assertEqual(one, other)


if __name__ == '__main__':
  absltest.main()
