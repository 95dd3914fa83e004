"""Tests of the generated pictures and questions: that answers are what is to be seen."""

import numpy as np
from absl.testing import absltest

from tff_lg.data import vqa_shapes


class VqaShapesTest(absltest.TestCase):
  def test_seed(self):
    one, same, other = (vqa_shapes.generate_shapes(6, 2, 3, seed=seed) for seed in (0, 0, 1))
    for a, b in ((one.train, same.train), (one.test, same.test)):
      for left, right in zip(a, b, strict=True):
        np.testing.assert_array_equal(left, right)
    np.testing.assert_array_equal(one.features, same.features)
    self.assertFalse(np.array_equal(one.features, other.features))
    self.assertNotEqual(one.train.texts.tolist(), other.train.texts.tolist())

  def test_sizes(self):
    made = vqa_shapes.generate_shapes(6, 2, 3)
    self.assertEqual(made.train.pictures.tolist(), np.repeat(np.arange(6), 3).tolist())
    self.assertEqual(made.test.pictures.tolist(), [6, 6, 6, 7, 7, 7])
    self.assertEqual((made.features.shape, made.features.dtype), ((8, 256), np.float32))
    self.assertEqual(made.test.answers.shape, (6, 10))

  def test_pixels_show_shapes_and_colours(self):
    pictures = vqa_shapes.draw_pictures(300, np.random.default_rng(0))
    self.assertEqual(pictures.pixels.shape, (300, 32, 32, 3))
    cells = pictures.pixels.reshape(300, 2, 16, 2, 16, 3).swapaxes(2, 3).reshape(300, 4, -1, 3)
    palette = np.array(list(vqa_shapes.COLOURS.values()), np.float32)
    is_drawn = (cells != np.float32(0.2)).any(axis=3)
    np.testing.assert_array_equal(is_drawn.any(axis=2), pictures.shapes >= 0)
    # What is drawn in a cell has its colour and no other.
    np.testing.assert_array_equal(
      cells[is_drawn], np.broadcast_to(palette[pictures.colours][:, :, None], cells.shape)[is_drawn]
    )
    # Of radius r a circle covers 3.14 r^2, a square 2.89 r^2, a triangle 1.81 r^2, r about 6.
    areas = [is_drawn.sum(axis=2)[pictures.shapes == shape].mean() for shape in range(3)]
    for area, share in zip(areas, (np.pi, 1.7**2, 1.9**2 / 2), strict=True):
      self.assertAlmostEqual(area, share * 16**2 * np.mean([0.3**2, 0.375**2, 0.45**2]), delta=8)

  def test_answers_by_looking(self):
    rng = np.random.default_rng(1)
    pictures = vqa_shapes.draw_pictures(400, rng)
    questions = vqa_shapes.ask(pictures, np.arange(400), rng)
    names, colours = np.array(vqa_shapes.SHAPES), np.array([*vqa_shapes.COLOURS])
    kinds = {'What': 0, 'How': 0, 'Is': 0}
    given = {'yes': 0, 'no': 0}
    for text, picture, answers in zip(*questions, strict=True):
      seen = [
        (colours[c], names[s])
        for s, c in zip(pictures.shapes[picture], pictures.colours[picture], strict=True)
        if s >= 0
      ]
      words = text.rstrip('?').split()
      kinds[words[0]] += 1
      if words[0] == 'What':
        ((right, _),) = [one for one in seen if one[1] == words[-1]]
      elif words[0] == 'How':
        right = str(sum(name == words[2][:-1] for _, name in seen))
      else:
        right = 'yes' if (words[-2], words[-1]) in seen else 'no'
        given[right] += 1
      found, counts = np.unique(answers.astype(str), return_counts=True)
      self.assertEqual(found[counts.argmax()], right, text)
    for kind, share in {'What': 0.5, 'How': 0.3, 'Is': 0.2}.items():
      self.assertAlmostEqual(kinds[kind] / 400, share, delta=0.1)
    self.assertGreater(min(given.values()) / sum(given.values()), 0.3)

  def test_annotators_err_within_the_kind(self):
    made = vqa_shapes.generate_shapes(200, 1, 5)
    agree = (made.train.answers == made.train.answers[:, :1]).mean()
    # Two annotators agree where both are right, or guess the same.
    self.assertAlmostEqual(agree, 0.1 + 0.9 * (0.92**2 + 0.02), delta=0.04)
    is_number = np.char.isdigit(made.train.answers.astype(str))
    asks_number = np.char.startswith(made.train.texts.astype(str), 'How')
    np.testing.assert_array_equal(is_number, np.repeat(asks_number[:, None], 10, axis=1))

  def test_encoder_is_one_for_all_pictures(self):
    pixels = vqa_shapes.draw_pictures(500, np.random.default_rng(2)).pixels
    x = vqa_shapes.encode_pictures(pixels)
    np.testing.assert_allclose(vqa_shapes.encode_pictures(pixels[7:9]), x[7:9], atol=1e-5)
    self.assertAlmostEqual(float(x.mean()), 0, delta=0.1)
    self.assertAlmostEqual(float(x.std()), 1, delta=0.1)


if __name__ == '__main__':
  absltest.main()
