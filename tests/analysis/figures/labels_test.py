"""Tests of what the label distribution shows."""

import numpy as np
import pandas as pd
from absl.testing import absltest, parameterized

from tff_lg.analysis import figures, style


def _counts(num_clients, num_classes=10):
  rng = np.random.default_rng(0)
  return pd.DataFrame(
    rng.integers(0, 5, (num_clients, num_classes)),
    index=[f'client_{k}' for k in range(num_clients)],
    columns=[str(label) for label in range(num_classes)],
  )


class LabelDistributionTest(parameterized.TestCase):
  def test_long_names_are_shortened(self):
    counts = pd.DataFrame({'yes': [1, 2]}, index=['a', 'b' * 300])
    figure = figures.label_distribution(counts)
    names = [label.get_text() for label in figure.axes[1].get_xticklabels()]
    self.assertCountEqual(names, ['a', 'b' * 23 + '…'])

  def test_shares_by_most_frequent_class(self):
    counts = pd.DataFrame([[0, 4], [3, 1], [8, 0]], index=['x', 'y', 'z'], columns=['cat', 'dog'])
    sizes, shares = figures.label_distribution(counts).axes[:2]
    image = shares.get_images()[0].get_array()
    np.testing.assert_array_equal(image.filled(0), [[100, 75, 0], [0, 25, 100]])
    self.assertEqual([label.get_text() for label in shares.get_xticklabels()], ['z', 'y', 'x'])
    self.assertEqual([label.get_text() for label in shares.get_yticklabels()], ['cat', 'dog'])
    np.testing.assert_array_equal(sizes.patches[0].get_data().values, [8, 4, 4])
    self.assertEqual([text.get_text() for text in shares.texts], ['100', '75', '25', '100'])

  def test_axes_are_labelled(self):
    figure = figures.label_distribution(_counts(3))
    self.assertEqual(
      [axes.get_ylabel() for axes in figure.axes],
      ['training\nexamples', 'class', "share of the client's examples (%)"],
    )
    self.assertEqual(figure.axes[1].get_xlabel(), 'client, ordered by most frequent class')

  @parameterized.parameters((1, 1), (10, 10), (100, 100), (1000, 1000), (2500, 1000))
  def test_number_of_columns(self, num_clients, num_columns):
    figure = figures.label_distribution(_counts(num_clients))
    self.assertEqual(figure.axes[1].get_images()[0].get_array().shape, (10, num_columns))
    self.assertEqual(figure.axes[1].get_xlim(), (-0.5, num_clients - 0.5))
    style.png_bytes(figure)

  def test_neighbours_share_a_column(self):
    counts = pd.DataFrame(np.repeat([[1, 1], [0, 2]], 1000, axis=0))
    image = figures.label_distribution(counts).axes[1].get_images()[0].get_array().filled(0)
    np.testing.assert_array_equal(image[:, 0], [50, 50])
    np.testing.assert_array_equal(image[:, -1], [0, 100])

  def test_names_are_not_read_as_mathematics(self):
    counts = pd.DataFrame([[1, 2]], index=['$\\a$'], columns=['$', '$\\b$'])
    style.png_bytes(figures.label_distribution(counts))

  def test_client_without_examples(self):
    figure = figures.label_distribution(pd.DataFrame([[0, 0], [1, 1]]))
    image = figure.axes[1].get_images()[0].get_array().filled(0)
    np.testing.assert_array_equal(image, [[50, 0], [50, 0]])


if __name__ == '__main__':
  absltest.main()
