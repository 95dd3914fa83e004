"""Tests of the look: colours that carry, and figures that fit into a page."""

from absl.testing import absltest, parameterized
from matplotlib.figure import Figure

from tff_lg.analysis import style
from tff_lg.learning.methods import METHODS
from tff_lg.learning.methods.method import COLOURS


def _luminance(colour):
  """Computes the relative luminance of `#rrggbb` (WCAG 2)."""
  channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
  linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one, other):
  darker, lighter = sorted((_luminance(one), _luminance(other)))
  return (lighter + 0.05) / (darker + 0.05)


def _figure():
  figure = Figure()
  figure.subplots().plot([1, 2], color=style.colour('lg_fedavg'))
  return figure


def _markup():
  figure = _figure()
  return style.svg_markup(style.svg_bytes(figure, 'name'), figure, 'what it shows')


class StyleTest(parameterized.TestCase):
  @parameterized.parameters('blue', 'vermillion', 'green', 'purple', 'olive', 'ink')
  def test_lines_stand_out(self, name):
    colour, surface = style.COLOURS[name], style.COLOURS['surface']
    self.assertGreater(_contrast(colour.light, surface.light), 3)
    self.assertGreater(_contrast(colour.dark, surface.dark), 3)

  @parameterized.parameters('ink', 'muted')
  def test_text_is_readable(self, name):
    for ground in ('surface', 'panel'):
      colour, behind = style.COLOURS[name], style.COLOURS[ground]
      self.assertGreater(_contrast(colour.light, behind.light), 4.5)
      self.assertGreater(_contrast(colour.dark, behind.dark), 4.5)

  def test_methods_differ_in_colour_or_dashes(self):
    looks = {(style.colour(method), style.line_style(method)) for method in METHODS}
    self.assertLen(looks, len(METHODS))
    self.assertEqual({style.colour(m) for m in METHODS}, {style.COLOURS[c].light for c in COLOURS})
    self.assertEmpty(set(COLOURS) - set(style.COLOURS))

  def test_series_differ(self):
    series = [style.nth_series(i) for i in range(20)]
    self.assertLen(set(series), 20)
    # Neighbours and the first ones differ in colour as well.
    self.assertLen({colour for colour, _, _ in series[:6]}, 6)

  def test_png(self):
    self.assertStartsWith(style.png_bytes(_figure()), b'\x89PNG')

  def test_files_for_papers(self):
    files = style.file_bytes(_figure(), 'a')
    starts = {ending: content[:5] for ending, content in files.items()}
    self.assertEqual(starts, {'png': b'\x89PNG\r', 'svg': b'<?xml', 'pdf': b'%PDF-'})
    self.assertEqual(files, style.file_bytes(_figure(), 'a'))

  def test_svg_follows_the_palette_and_refers_to_nothing_outside(self):
    svg = _markup()
    self.assertStartsWith(svg, '<svg role="img" aria-label="what it shows"')
    self.assertIn('var(--blue)', svg)
    self.assertNotIn(style.COLOURS['blue'].light, svg)
    self.assertNotIn('http', svg)
    self.assertNotIn('100%', svg)  # The page's ground shows.
    self.assertIn(b'100%', style.svg_bytes(_figure(), 'name'))
    self.assertEqual(svg, _markup())

  def test_palette_css(self):
    css = style.palette_css()
    self.assertIn('--surface: #ffffff;', css)
    self.assertIn('@media screen and (prefers-color-scheme: dark)', css)


if __name__ == '__main__':
  absltest.main()
