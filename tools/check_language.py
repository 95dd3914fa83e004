"""Checks that docs, docstrings and messages are written as docs/contributing/style.md asks."""

import ast
import collections
import pathlib
import re
import sys
from collections.abc import Iterator

_ROOT = pathlib.Path(__file__).parents[1]
_PAGES = ('README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs')
_SOURCES = ('tff_lg', 'pipelines', 'benchmarks', 'tools', 'tests')
_MOST_WORDS = 25

# A pattern that no sentence may have, and what to write instead.
_BANNED = tuple(
  (re.compile(pattern), advice)
  for pattern, advice in (
    (r'(?<![Tt]here )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b)', '"is not a"'),
    (r'\b(?:go|goes|going|gone|went) on\b', '"resume" or "continue"'),
    (r'\b[Ww]hat there is not\b', '"Limitations"'),
    (r'^Of\b', 'the subject first'),
    (r'^What\b.*\.$', 'the subject first'),
    (r'^Who(?:ever)?\b.*\.$', 'the subject first'),
    (
      r'\b(?:bytes?|classes|clips|columns?|epochs|examples|numbers?|rows?|shards|states?|steps|tokens'
      r'|values?) an? (?:class|client|device|example|file|method|round|run|user)\b'
      r'(?! (?:can|gets|had|has|have|is|may|sees)\b)',
      '"per client", "per round"',
    ),
    (r'\banew\b', '"again"'),
    (r'\b[Gg]oal accuracy\b', '"target accuracy"'),
    (r'\b[Oo]wn local-only model\b', '"locally trained model"'),
    (r'\bas it stands\b', '"verbatim" or "unchanged"'),
  )
)
# Words that a verb in the third person may be mistaken for. So may any that `of` follows.
_NO_VERBS = frozenset(
  'Always Arguments As Batches Clients Columns Examples Features Flags Ids Images Indices Labels'
  ' Logits Metrics Nothing Places Points Rows Seconds Texts This Values Verdicts Words'.split()
)
_SENTENCE_END = re.compile(
  r'(?:(?<=[.!?])|(?<=[.!?][)"\']))(?<!et al\.)(?<!e\.g\.)(?<!i\.e\.)(?<!vs\.)\s+(?=[(\'"`]*[A-Z`])'
)


def sentences(text: str) -> list[str]:
  """Returns the sentences of a paragraph; inline code counts as one word."""
  text = re.sub(r'``?[^`]+``?', 'CODE', ' '.join(text.split()))
  text = re.sub(r'!?\[([^\]]*)\]\([^)]*\)', r'\1', text)
  text = re.sub(r'[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}', '', text)
  return [sentence.strip() for sentence in _SENTENCE_END.split(text) if sentence.strip()]


def num_words(sentence: str) -> int:
  """Returns the number of words; signs and operators that stand alone do not count."""
  return sum(any(letter.isalnum() for letter in word) for word in sentence.split())


def banned(sentence: str) -> Iterator[str]:
  """Yields what is wrong with a sentence."""
  for pattern, advice in _BANNED:
    if match := pattern.search(sentence):
      yield f'"{match[0].strip()}": write {advice}'


def too_long(sentence: str) -> Iterator[str]:
  """Yields a message if a sentence has more than 25 words."""
  if (found := num_words(sentence)) > _MOST_WORDS:
    yield f'a sentence of {found} words: split it ("{" ".join(sentence.split()[:6])} ...")'


def blocks(page: str) -> Iterator[tuple[int, str, str]]:
  """Yields the line number, kind and text of each block of prose of a Markdown page.

  Code and comments are left out, and so is what stands between `<!-- language: off -->` and
  `<!-- language: on -->`.

  Args:
    page: the text of the page.

  Yields:
    The number of the line, `prose`, `item` or `cell`, and the text. Each line of a page is a
    block of its own, since a paragraph has one line.
  """
  is_code = is_off = False
  for number, line in enumerate(page.splitlines(), 1):
    if line.lstrip().startswith('```'):
      is_code = not is_code
    elif line.startswith('<!-- language:'):
      is_off = 'off' in line
    elif is_code or is_off or line.startswith('    ') or not line.strip():
      continue
    elif line.startswith('|'):
      cells = (cell.strip() for cell in re.split(r'(?<!\\)\|', line.strip('|')))
      yield from ((number, 'cell', cell) for cell in cells)
    elif not line.startswith(('#', '<!--')):
      text = re.sub(r'^\s*(?:[-*] |\d+\. )', '', line)
      yield number, 'prose' if text == line else 'item', text


def check_page(page: str, counts: collections.Counter[str]) -> Iterator[tuple[int, str]]:
  """Yields the line number and the message of each fault of a Markdown page.

  Args:
    page: the text of the page.
    counts: gets the number of `sentences`.

  Yields:
    Line numbers and messages.
  """
  last_number, last_text = -1, ''
  for number, kind, text in blocks(page):
    for sentence in sentences(text):
      for message in banned(sentence):
        yield number, message
      if kind != 'cell':
        counts['sentences'] += 1
        for message in too_long(sentence):
          yield number, message
    if kind == 'prose' and number == last_number + 1 and last_text[-1] not in '.:;!?*)':
      yield last_number, 'a line that ends within a sentence: write one paragraph per line'
    if kind != 'cell':
      last_number, last_text = number, text.strip()


def begins_with_verb(docstring: str) -> bool:
  """Tells if a docstring begins with a verb in the third person, such as Returns or Computes."""
  match = re.match(r'([A-Z][a-z]*s)\b(?! of\b)', docstring)
  return match is not None and match[1] not in _NO_VERBS


def _needs_verb(node: ast.AST) -> bool:
  """Tells if a definition is a function, but neither a property nor a test."""
  return (
    isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    and not node.name.startswith('test_')
    and not any('property' in ast.unparse(each) for each in node.decorator_list)
  )


def check_source(source: str, is_test: bool = False) -> Iterator[tuple[int, str]]:
  """Yields the line number and the message of each fault of docstrings, names and messages.

  Args:
    source: a module.
    is_test: whether it is a test, whose strings are data and not messages.

  Yields:
    Line numbers and messages.
  """
  tree = ast.parse(source)
  docstrings = set()
  for node in ast.walk(tree):
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
      if not isinstance(node, ast.Module):
        for message in banned(node.name.strip('_').replace('_', ' ')):
          yield node.lineno, f'the name {node.name}: {message}'
      text = ast.get_docstring(node)
      if text is None or not isinstance(node.body[0], ast.Expr):
        continue
      docstrings.add(id(node.body[0].value))
      number = node.body[0].lineno
      if _needs_verb(node) and not begins_with_verb(text):
        start = ' '.join(text.split()[:3])
        yield number, f'a docstring that begins with "{start}": write "Returns", "Computes", ...'
      for paragraph in re.split(r'\n\s*\n|\n(?=\s*(?:\w+: |[-*|] |\d+\. ))', text):
        for sentence in sentences(paragraph):
          for message in (*banned(sentence), *too_long(sentence)):
            yield number, message
  for node in ast.walk(tree):
    if (
      isinstance(node, ast.Constant)
      and isinstance(node.value, str)
      and not is_test
      and id(node) not in docstrings
    ):
      for sentence in sentences(node.value):
        for message in banned(sentence):
          yield node.lineno, message


def _files(names: tuple[str, ...], suffix: str) -> Iterator[pathlib.Path]:
  """Yields the files with a suffix, in order, without this one."""
  for name in names:
    path = _ROOT / name
    for file in sorted(path.rglob(f'*{suffix}')) if path.is_dir() else [path]:
      if file.exists() and file != pathlib.Path(__file__).resolve():
        yield file


def main() -> int:
  """Prints the faults of all pages and sources; returns 1 if there are any."""
  faults, counts = [], collections.Counter()
  for file in _files(_PAGES, '.md'):
    for number, message in check_page(file.read_text(encoding='utf-8'), counts):
      faults.append(f'{file.relative_to(_ROOT)}:{number}: {message}')
  for file in _files(_SOURCES, '.py'):
    is_test = 'tests' in file.relative_to(_ROOT).parts
    for number, message in check_source(file.read_text(encoding='utf-8'), is_test):
      faults.append(f'{file.relative_to(_ROOT)}:{number}: {message}')
  print(*faults, sep='\n', end='\n' if faults else '')
  print(
    f'Language: {counts["sentences"]} sentences of pages, {len(faults)} faults '
    '(docs/contributing/style.md).'
  )
  return int(bool(faults))


if __name__ == '__main__':
  sys.exit(main())
