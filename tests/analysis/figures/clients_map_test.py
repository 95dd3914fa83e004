"""Tests of what the map of clients shows."""

import numpy as np
from absl.testing import absltest

from tff_lg.analysis import figures, style

_COORDINATES = np.array([[0, 0], [1, 0], [2, 1], [3, 1]], np.float32)


def _map(coordinates, client, y, class_names, centroids=None):
  figure = figures.clients_map(coordinates, np.array(client), np.array(y), class_names, centroids)
  style.png_bytes(figure)
  return figure.axes


def _points(axes):
  return [collection.get_offsets().tolist() for collection in axes.collections]


def _legend(axes):
  return [text.get_text() for text in axes.get_legend().get_texts()]


def _marks(axes):
  """Returns colour and shape of each group."""
  return {
    (tuple(c.get_facecolor()[0]), c.get_paths()[0].vertices.tobytes()) for c in axes.collections
  }


class ClientsMapTest(absltest.TestCase):
  def test_points_by_client_and_by_class(self):
    by_client, by_class = _map(_COORDINATES, [0, 1, 0, 1], [0, 0, 1, 1], ['rest', 'cough'])
    self.assertEqual(_points(by_client), [[[0, 0], [2, 1]], [[1, 0], [3, 1]]])
    self.assertEqual(_points(by_class), [[[0, 0], [1, 0]], [[2, 1], [3, 1]]])
    self.assertEqual(_legend(by_client), ['0', '1'])
    self.assertEqual(_legend(by_class), ['rest', 'cough'])
    self.assertEqual(by_client.get_legend().get_title().get_text(), 'client')

  def test_axes(self):
    by_client, by_class = _map(_COORDINATES, [0, 1, 0, 1], [0, 0, 1, 1], ['rest', 'cough'])
    self.assertEqual(by_client.get_xlabel(), 'first principal component')
    self.assertEqual(by_client.get_ylabel(), 'second principal component')
    self.assertEqual(by_class.get_xlabel(), 'first principal component')
    self.assertEqual(by_client.get_title(loc='left'), 'by client')
    self.assertEqual(by_class.get_title(loc='left'), 'by class')
    self.assertEqual(by_client.get_xlim(), by_class.get_xlim())

  def test_absent_groups_are_left_out(self):
    by_client, by_class = _map(_COORDINATES, [0, 0, 4, 4], [2, 2, 2, 2], ['a', 'b', 'c'])
    self.assertEqual(_legend(by_client), ['0', '4'])
    self.assertEqual(_legend(by_class), ['c'])

  def test_centroids(self):
    centroids = np.array([[[0.5, 0.0], [np.nan, np.nan]]])
    by_client, by_class = _map(_COORDINATES, [0, 1, 0, 1], [0] * 4, ['a'], centroids)
    shown = by_client.collections[-1].get_offsets()
    self.assertEqual(shown[0].tolist(), [0.5, 0])
    self.assertTrue(np.ma.getmaskarray(shown)[1].all() or np.isnan(shown[1]).all())
    self.assertEqual(_legend(by_client), ['0', '1', 'centroid'])
    self.assertEqual(_legend(by_class), ['a'])

  def test_thirty_groups_differ(self):
    x = np.random.default_rng(0).normal(size=(60, 2))
    by_client, _ = _map(x, np.arange(60) % 30, np.zeros(60, int), ['a'])
    self.assertLen(_marks(by_client), 30)
    self.assertLen(_legend(by_client), 30)

  def test_more_groups_have_no_legend_of_names(self):
    x = np.random.default_rng(0).normal(size=(62, 2))
    by_client, _ = _map(x, np.arange(62) % 31, np.zeros(62, int), ['a'])
    self.assertEmpty(_legend(by_client))
    self.assertEqual(by_client.get_legend().get_title().get_text(), '31 clients')

  def test_many_points(self):
    x = np.random.default_rng(0).normal(size=(25_000, 2))
    by_client, by_class = _map(x, np.zeros(25_000, int), np.zeros(25_000, int), ['a'])
    np.testing.assert_allclose(by_class.collections[0].get_offsets(), x[::3])
    self.assertEqual(by_client.get_xlabel(), 'first principal component (1 example in 3 drawn)')

  def test_names_are_not_read_as_mathematics(self):
    _map(_COORDINATES, [0] * 4, [0] * 4, ['$\\a$'])

  def test_page_brings_the_palette(self):
    figure = figures.clients_map(_COORDINATES, np.zeros(4, int), np.zeros(4, int), ['a'])
    self.assertIn('var(--blue)', style.svg_markup(style.svg_bytes(figure, 'map'), figure, 'A map'))

  def test_no_example(self):
    by_client, _ = _map(np.zeros((0, 2)), np.zeros(0, int), np.zeros(0, int), [])
    self.assertEmpty(by_client.collections)


if __name__ == '__main__':
  absltest.main()
