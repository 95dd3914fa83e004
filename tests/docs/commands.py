"""The commands that pages show."""

import dataclasses
import pathlib
import re
import shlex
from collections.abc import Iterator

from tff_lg import sweeps

ROOT = pathlib.Path(__file__).parents[2]
_PROGRAMS = r'(?:python|make|ray|tff-lg|export|[^\s`]+/(?:python|tff-lg)|tools/bazel\.sh)'
_COMMAND = re.compile(rf'^\s*(?:\$ )?({_PROGRAMS} .*)$')


@dataclasses.dataclass(frozen=True)
class Command:
  """A command of a page.

  Attributes:
    page: its path below the root.
    line: the number of its first line.
    text: the whole command in one line.
    is_quoted: whether it is part of a sentence, and may leave out the folder that it writes.
  """

  page: str
  line: int
  text: str
  is_quoted: bool = False

  @property
  def words(self) -> list[str]:
    """The command's words; `<a run>` and `$(ls runs)` are names like others."""
    text = re.sub(r'\$\([^)]*\)', 'folder', self.text)
    return shlex.split(re.sub(r'<([^\s,>]*)[^>]*>', r'\1', text), comments=True)

  @property
  def module(self) -> str:
    """The module that the command runs, such as `pipelines.train`; '' for other programs."""
    program, *arguments = self.words
    if program.endswith('tff-lg'):
      return f'pipelines.{arguments[0]}'
    return arguments[1] if program.endswith('python') and arguments[0] == '-m' else ''

  @property
  def arguments(self) -> list[str]:
    """The words after the program's name, and after the module's if it runs one."""
    if not self.module:
      return self.words[1:]
    return self.words[2 if self.words[0].endswith('tff-lg') else 3 :]

  @property
  def is_program(self) -> bool:
    """Whether it runs a pipeline or a benchmark, and is not just its name."""
    return self.module.split('.')[0] in ('pipelines', 'benchmarks') and bool(self.arguments)

  def __str__(self) -> str:
    return f'{self.page}:{self.line}: {self.text}'


def pages() -> list[str]:
  """Returns the paths of all pages, below the root."""
  found = [ROOT / 'README.md', ROOT / 'CONTRIBUTING.md', *sorted((ROOT / 'docs').rglob('*.md'))]
  return [path.relative_to(ROOT).as_posix() for path in found]


def read(page: str) -> str:
  """Returns the text of a page."""
  return (ROOT / page).read_text(encoding='utf-8')


def blocks(page: str) -> Iterator[tuple[int, str, str]]:
  """Yields the number of the first line, the language and the code of each block of a page.

  The language of a block that is indented, or names none, is ''.
  """
  text = read(page)
  fenced, indented = r'^```(?P<language>.*)\n(?P<code>(?s:.*?))^```$', r'(?:^    .*\n?)+'
  for match in re.finditer(rf'{fenced}|{indented}', text, re.MULTILINE):
    is_fenced = match['code'] is not None
    number = text.count('\n', 0, match.start()) + 1
    yield number + is_fenced, match['language'] or '', match['code'] if is_fenced else match[0]


def commands(page: str) -> list[Command]:
  """Returns the commands of a page: those in blocks of code, and those quoted in its text."""
  found = []
  for number, language, code in blocks(page):
    lines = [] if language == 'python' else code.replace('\\\n', '\0').split('\n')
    for line in lines:
      if match := _COMMAND.match(line):
        found.append(Command(page, number, re.sub(r'\s*\0\s*', ' ', match[1])))
      number += 1 + line.count('\0')
  for number, line in enumerate(read(page).splitlines(), 1):
    if not line.startswith('    '):
      quoted = re.findall(rf'`({_PROGRAMS} [^`]+)`', line)
      found += [Command(page, number, text, is_quoted=True) for text in quoted]
  return found


def add_presets(folder: pathlib.Path) -> None:
  """Adds the flag files of the repository to a folder, where commands expect them."""
  (folder / 'pipelines').mkdir()
  configs = ROOT / 'pipelines' / 'configs'
  (folder / 'pipelines' / 'configs').symlink_to(configs.resolve())


def recipe(target: str) -> list[Command]:
  """Returns the commands of the Makefile's target that run modules."""
  text = re.search(rf'^{re.escape(target)}:.*\n((?:\t.*\n)*)', read('Makefile'), re.MULTILINE)
  if text is None:
    raise ValueError(f'make has no target {target}.')
  return [Command('Makefile', 0, line) for line in re.findall(r'(?<=\t@)\S+/python -m .*', text[1])]


def imported_module(command: Command) -> dict[str, str]:
  """Returns the code of the module that `--import` names: the page's last Python before it."""
  names = [each.removeprefix('--import=') for each in command.arguments if '--import=' in each]
  before = [
    code for line, kind, code in blocks(command.page) if kind == 'python' and line < command.line
  ]
  return {name: before[-1] for name in names}


def smaller_sweep(arguments: list[str], *, one_point: bool = False) -> list[str]:
  """Returns the arguments of a sweep with one seed, and with the first value of each axis alone."""
  end = arguments.index('--') if '--' in arguments else len(arguments)
  own = [each for each in arguments[:end] if not each.startswith('--seeds=')]
  if one_point:
    own = [_first_value(each) for each in own if each != '--heat_map']
  return [*own, '--seeds=0', *arguments[end:]]


def _first_value(argument: str) -> str:
  """Returns an axis with its first value, or with two where values have commas."""
  if not argument.startswith('--grid='):
    return argument
  axis = sweeps.parse_axis(argument.removeprefix('--grid='))
  few = axis.values[:2] if ';' in argument else axis.values[:1]
  return f'--grid={axis.name}={";".join(few)}'
