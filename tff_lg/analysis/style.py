"""How every figure and the page look: one palette, for paper and for dark screens.

Each colour has a name and two values. Figures are drawn in the light values. In the page,
`svg_markup` replaces them by CSS variables of that name. So the figures follow the reader's light
or dark setting. Series differ in line style as well as in colour.
"""

import functools
import io
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, ParamSpec, TypeAlias, TypeVar

import matplotlib
from fontTools import subset
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tff_lg.analysis import markup
from tff_lg.learning.methods import METHODS, local_only

_P = ParamSpec('_P')
_R = TypeVar('_R')

# PDF has no use for a font's tables of layout, and their subsets took half of a file's time.
subset.Options._drop_tables_default += ['GDEF', 'GPOS', 'GSUB', 'kern']

# A name, or (offset, lengths of dashes and gaps).
LineStyle: TypeAlias = str | tuple[float, Sequence[float]]


class Colour(NamedTuple):
  """A colour on white and the same colour on a dark screen, as `#rrggbb`."""

  light: str
  dark: str


class ClientMark(NamedTuple):
  """A client in a figure: where it is on the x axis, its id, and what the pointer is told."""

  x: float
  client: str
  text: str


class Series(NamedTuple):
  """How a series of a figure is called and drawn: `#rrggbb`, and dashes as Matplotlib has them."""

  label: str
  colour: str
  dashes: LineStyle
  marker: str


# The hues are Okabe and Ito's (2008), which people with any of the common colour
# deficiencies tell apart, darkened so that thin lines keep a contrast of 3 on white.
COLOURS = {
  'ink': Colour('#1f2a33', '#e6ebf0'),
  'muted': Colour('#5d6b78', '#9aa7b4'),
  'grid': Colour('#dfe4e9', '#2c3640'),
  'surface': Colour('#ffffff', '#12181f'),
  'panel': Colour('#f4f6f8', '#1a222b'),
  'blue': Colour('#0068ad', '#5fb4ee'),
  'vermillion': Colour('#c95000', '#f58b4c'),
  'green': Colour('#00805e', '#3ac79c'),
  'purple': Colour('#a8518a', '#df9cc8'),
  'olive': Colour('#857000', '#d6bf3c'),
}
INK, MUTED, GRID = (COLOURS[name].light for name in ('ink', 'muted', 'grid'))

# Series that are not methods look like these methods, in this order.
_SERIES = ('lg_fedavg', local_only.NAME, 'fedavg', 'fedprox', 'fedsgd', 'mtl')
_MARKERS = 'os^DvP'
_NO_METADATA = dict.fromkeys(('Creator', 'Date', 'Format', 'Type'))
_ON_WHITE = (
  b'\n <rect width="100%" height="100%" fill="#ffffff"/>'  # The page has a ground of its own.
)
_OTHER_SERIES: tuple[str, LineStyle] = ('purple', (0, (3, 3)))

_RC: dict[Any, Any] = {
  'font.family': 'DejaVu Sans',
  'font.size': 9,
  'text.parse_math': False,  # A class may be called anything.
  'axes.titlesize': 9,
  'axes.labelsize': 9,
  'text.color': INK,
  'axes.labelcolor': INK,
  'axes.titlecolor': INK,
  'axes.edgecolor': MUTED,
  'axes.linewidth': 0.8,
  'axes.spines.top': False,
  'axes.spines.right': False,
  'axes.grid': True,
  'axes.axisbelow': True,
  'grid.color': GRID,
  'grid.linewidth': 0.8,
  'xtick.color': MUTED,
  'ytick.color': MUTED,
  'xtick.labelcolor': INK,
  'ytick.labelcolor': INK,
  'legend.frameon': False,
  'legend.fontsize': 9,
  'lines.linewidth': 1.8,
  'lines.solid_capstyle': 'round',
  'figure.constrained_layout.use': True,
  'figure.facecolor': 'white',
  'axes.facecolor': 'none',
  'savefig.dpi': 160,
  'svg.fonttype': 'none',  # Text stays text: small, searchable, in the page's font.
  'pdf.fonttype': 42,  # Which journals and programs that edit figures can read.
}


def _look(method: str) -> tuple[str, LineStyle]:
  """Returns a method's colour in the palette and its dashes, alike in every figure."""
  if method in METHODS:
    return METHODS[method].colour, METHODS[method].dashes
  return _OTHER_SERIES


def colour(method: str) -> str:
  """Returns the colour of a method's marks, `#rrggbb`."""
  return COLOURS[_look(method)[0]].light


def line_style(method: str) -> LineStyle:
  """Returns the dashes of a method's lines, as Matplotlib takes them."""
  return _look(method)[1]


def nth_series(i: int) -> tuple[str, LineStyle, str]:
  """Returns the colour, dashes and marker of a figure's series that are not methods, from 0 on."""
  series = list(map(_look, _SERIES))
  name, dashes = series[i % len(series)]
  # Beyond the palette a colour comes again, with other dashes and another marker.
  again = i // len(series)
  dashes = series[(i + again) % len(series)][1] if again else dashes
  return COLOURS[name].light, dashes, _MARKERS[(i + again) % len(_MARKERS)]


def styled(draw: Callable[_P, _R]) -> Callable[_P, _R]:
  """Runs a function that draws a figure under this module's settings."""

  @functools.wraps(draw)
  def with_settings(*args: _P.args, **kwargs: _P.kwargs) -> _R:
    with matplotlib.rc_context(_RC):
      return draw(*args, **kwargs)

  return with_settings


def label_axes(axes: Axes, *, x: str, y: str) -> None:
  """Names both axes, with their units."""
  axes.set_xlabel(x)
  axes.set_ylabel(y)


@styled
def png_bytes(figure: Figure) -> bytes:
  """Returns a figure as a PNG image on white."""
  return _drawn(figure, format='png', metadata={'Software': None})


@styled
def svg_bytes(figure: Figure, name: str) -> bytes:
  """Returns a figure as an SVG drawing on white, the same for equal figures.

  Args:
    figure: drawn in the palette's light colours.
    name: of the figure; the drawing's ids differ from those of other names.
  """
  with matplotlib.rc_context({'svg.hashsalt': name}):
    svg = _drawn(figure, format='svg', transparent=True, metadata=_NO_METADATA)
  start = svg.index(b'>', svg.index(b'<svg')) + 1
  return svg[:start] + _ON_WHITE + svg[start:]


@styled
def pdf_bytes(figure: Figure) -> bytes:
  """Returns a figure as a PDF page on white."""
  return _drawn(figure, format='pdf', metadata={'CreationDate': None})


def _drawn(figure: Figure, **options: Any) -> bytes:
  buffer = io.BytesIO()
  figure.savefig(buffer, **options)
  return buffer.getvalue()


def file_bytes(figure: Figure, name: str) -> dict[str, bytes]:
  """Returns a figure for papers: PNG, SVG and PDF on white, by the ending of their files.

  Args:
    figure: drawn in the palette's light colours.
    name: of the figure.
  """
  png = png_bytes(figure)
  figure.set_layout_engine('none')  # What has been laid out stays, which saves a third of the time.
  return {'png': png, 'svg': svg_bytes(figure, name), 'pdf': pdf_bytes(figure)}


def svg_markup(
  svg: bytes, figure: Figure, description: str, marks: Sequence[ClientMark] = ()
) -> str:
  """Returns a drawing as an `<svg>` element for the page, which brings the palette's CSS.

  Args:
    svg: the figure's `svg_bytes`, whose name is unique in the page.
    figure: what is drawn.
    description: what the figure shows, for readers who do not see it; as HTML text.
    marks: of clients, on the x axis of its first axes.

  Returns:
    Markup without references to anything outside of it; the same for equal figures.
  """
  text = svg.replace(_ON_WHITE, b'').decode()
  text = text[text.index('<svg') :].strip()
  text = re.sub(r' xmlns(:\w+)?="[^"]*"', '', text).replace('xlink:href', 'href')
  text = re.sub(r'(<g) id="[a-z]+_?\d*(\.\w+)*"', r'\1', text)
  text = with_variables(text)
  text = text.replace('<svg', f'<svg role="img" aria-label="{description}"', 1)
  if marks:
    text = text.removesuffix('</svg>') + _mark_areas(figure, marks) + '</svg>'
  return text


def with_variables(svg: str) -> str:
  """Returns a drawing with the variables of `palette_css` in place of the light colours."""
  for variable, value in COLOURS.items():
    svg = svg.replace(value.light, f'var(--{variable})')
  return svg


def _mark_areas(figure: Figure, marks: Sequence[ClientMark]) -> str:
  """Returns an area for the pointer per client, as high as the axes of a drawn figure."""
  axes = figure.axes[0]
  width, height = 72 * figure.get_size_inches()
  box, (low, high) = axes.get_position(), axes.get_xlim()
  column = box.width * width / (high - low)
  areas = [
    (box.x0 * width + (mark.x - low - 0.5) * column, mark.client, mark.text) for mark in marks
  ]
  top, tall = (1 - box.y1) * height, box.height * height
  return str(markup.fill('client_areas', areas, top, column, tall))


def palette_css() -> str:
  """Returns the palette as CSS variables; dark values on a screen that asks for them."""

  def variables(values: dict[str, str]) -> str:
    return ' '.join(f'--{name}: {value};' for name, value in values.items())

  light = variables({name: value.light for name, value in COLOURS.items()})
  dark = variables({name: value.dark for name, value in COLOURS.items()})
  return (
    f':root {{ {light} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}'
  )
