"""Says how far a program is: bars on a terminal, elsewhere a line every 30 seconds.

The line is of what was begun last and has not ended, so that a log never stays silent, however
long a round takes. Nested work follows the line of the outer one.
"""

import contextlib
import io
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import tqdm

_Item = TypeVar('_Item')

_LINE_SECONDS = 30.0
# A bar within another appears after so many seconds: most evaluations are over by then.
_DELAY_SECONDS = 1.0
# Below so many a second, the time of one says more.
_SLOW = 0.1

_parts: list[str] = []
_watchers: list[Callable[[int, int], None]] = []
_running: list[Callable[[], str]] = []
_reporter: threading.Thread | None = None


class Bar(tqdm.tqdm):
  """A bar of tqdm's that draws nothing where there is no terminal."""

  def __init__(
    self, total: int, unit: str, description: str = '', *, initial: int = 0, is_nested: bool = False
  ) -> None:
    """Begins to count.

    Args:
      total: how many there are.
      unit: what is counted, in the singular.
      description: of the work.
      initial: how many were done before.
      is_nested: whether the bar is within other work, if any runs, and goes away when it ends.
    """
    self._is_drawn = _is_terminal()
    self._is_nested = is_nested
    self._outer = _running[-1] if is_nested and _running else None
    self._until_update = 0.0
    options: dict[str, Any] = {'leave': not is_nested}
    if not self._is_drawn:
      options['file'] = io.StringIO()
    elif is_nested:
      options['delay'] = _DELAY_SECONDS
    super().__init__(
      total=total, unit=unit, desc=_described(description), initial=initial, **options
    )
    _begin(self.line)

  def update(self, n: float | None = 1) -> bool | None:
    """Counts `n` more."""
    self._until_update = self.format_dict['elapsed']
    is_drawn_again = super().update(n)
    for watch in [] if self._is_nested else _watchers:
      watch(self.n, self.total)
    return is_drawn_again

  def set_description(self, desc: str | None = None, refresh: bool = True) -> None:
    """Sets the description, behind those of the parts that are being run."""
    super().set_description(_described(desc or ''), refresh)

  def display(self, msg: str | None = None, pos: int | None = None) -> bool:
    """Draws the bar."""
    return super().display(msg, pos) if self._is_drawn else False

  def close(self) -> None:
    """Ends the count."""
    _end(self.line)
    super().close()

  def line(self) -> str:
    """Returns what the bar shows as a line of a log."""
    done, seconds = self.n - self.initial, self.format_dict['elapsed']
    texts = [f'{self.n:,} of {self.total:,} {self.unit}s']
    if done and self._until_update:
      # Where many are counted at once, the time left gets shorter meanwhile.
      rate = done / self._until_update
      remaining = (self.total - self.n) / rate - (seconds - self._until_update)
      if remaining < 0:  # The rate has fallen.
        rate = done / seconds
        remaining = (self.total - self.n) / rate
      left = self.format_interval(remaining)
      speed = f'{rate:.3g} {self.unit}s per second'
      if rate < _SLOW:
        speed = f'{self.format_interval(1 / rate)} per {self.unit}'
      texts += [speed, f'{left} left']
    else:
      texts.append(f'{self.format_interval(seconds)} so far')
    description = self.desc.removesuffix(': ')
    line = ': '.join(filter(None, [description, ', '.join(filter(None, [*texts, self.postfix]))]))
    return f'{self._outer()}; {line}' if self._outer else line


def over(items: Iterable[_Item], total: int, unit: str, description: str = '') -> Iterator[_Item]:
  """Yields the items under a progress bar."""
  with Bar(total, unit, description) as bar:
    for item in items:
      yield item
      bar.update()


@contextlib.contextmanager
def stage(text: str) -> Iterator[None]:
  """Reports work that cannot be counted: at once on a terminal."""
  began = time.monotonic()

  def line() -> str:
    return f'{_described(text)}: {Bar.format_interval(time.monotonic() - began)} so far'

  if _is_terminal():
    tell(_described(text))
  _begin(line)
  try:
    yield
  finally:
    _end(line)


@contextlib.contextmanager
def part(text: str, watch: Callable[[int, int], None] | None = None) -> Iterator[None]:
  """Names a part of the work, such as `baseline 1 of 2`, before what is told meanwhile.

  Args:
    text: its name.
    watch: called with how many are done and how many there are, at each count of an outer bar.
  """
  watching = [] if watch is None else [watch]
  _parts.append(text)
  _watchers.extend(watching)
  try:
    yield
  finally:
    _parts.pop()
    for each in watching:
      _watchers.remove(each)


def tell(text: str) -> None:
  """Writes a line to the standard error, above a bar that is drawn."""
  tqdm.tqdm.write(text, file=sys.stderr)


def _described(text: str) -> str:
  return ', '.join(filter(None, [*_parts, text]))


def _is_terminal() -> bool:
  return sys.stderr.isatty()


def _begin(line: Callable[[], str]) -> None:
  global _reporter
  _running.append(line)
  if not _is_terminal() and (_reporter is None or not _reporter.is_alive()):
    _reporter = threading.Thread(target=_report_forever, name='progress', daemon=True)
    _reporter.start()


def _end(line: Callable[[], str]) -> None:
  if line in _running:  # tqdm closes a bar more than once.
    _running.remove(line)


def _report_forever(wait: Callable[[float], None] = time.sleep) -> None:
  while True:
    wait(_LINE_SECONDS)
    report()


def report() -> None:
  """Writes the line of what was begun last, if anything runs."""
  with contextlib.suppress(IndexError):  # It may have ended just now.
    print(_running[-1](), file=sys.stderr, flush=True)
