"""Answers to questions about pictures, written alike by one rule.

The rule is that of the official evaluation of VQA: signs, articles, number words, contractions.
There the ten answers of a question stay as they are where all are one string. Here they are always
written alike, as are the answers that a model can give.

Antol et al. 2015, VQA: Visual Question Answering; Goyal et al. 2017, VQA v2.
"""

import functools
import re

from tff_lg.data import examples, public_list

ANNOTATORS = 10
_SIGNS = ';/[]"{}()=+\\_-><@`,?!'
_ARTICLES = frozenset(('a', 'an', 'the'))
_NUMBERS = 'zero one two three four five six seven eight nine ten'.split()
_DIGITS = {word: str(number) for number, word in enumerate(_NUMBERS)} | {'none': '0'}
_CONTRACTIONS = (
  "ain't aren't can't could've couldn't couldn't've didn't doesn't don't hadn't hadn't've hasn't "
  "haven't he'd he'd've he's how'd how'll how's i'd've i'm i've isn't it'd it'd've it'll ma'am "
  "might've mightn't mightn't've must've mustn't needn't not've o'clock oughtn't shan't she'd've "
  "should've shouldn't shouldn't've somebody'd've somebody'll somebody's someone'd someone'd've "
  "someone'll someone's something'd something'd've something'll that's there'd there'd've "
  "there're there's they'd they'd've they'll they're they've wasn't we'd've we've weren't what'll "
  "what're what's what've when's where'd where's where've who'd who'd've who'll who's who've "
  "why'll why're why's won't would've wouldn't wouldn't've y'all you'd you'd've you'll you're "
  "you've"
).split()
# By what they are without apostrophes, or without the first of two.
_CONTRACTION_OF = {
  wrong: right
  for right in _CONTRACTIONS
  for wrong in (right.replace("'", ''), right.replace("'", '', 1))
}


@functools.lru_cache(maxsize=2**20)  # Few answers are given often.
def normalise_answer(answer: str) -> str:
  """Writes an answer as the official evaluation compares it.

  A sign beside a space goes, as do all signs of an answer with a comma between digits; other
  signs become spaces. A full stop stays before a digit only. Then words are lower-case, number
  words up to ten are digits, as `none` is 0, articles go, and contractions get apostrophes.

  >>> normalise_answer('The Two dogs, I dont know.')
  "2 dogs i don't know"

  Args:
    answer: as it was given.

  Returns:
    Its words, with a space between them.
  """
  text = ' '.join(answer.split())
  has_number = re.search(r'\d,\d', text) is not None
  result = text
  for sign in _SIGNS:
    goes = has_number or f'{sign} ' in text or f' {sign}' in text
    result = result.replace(sign, '' if goes else ' ')
  result = re.sub(r'\.(?!\d)', '', result).lower()
  words = (_DIGITS.get(word, word) for word in result.split())
  return ' '.join(_CONTRACTION_OF.get(word, word) for word in words if word not in _ARTICLES)


def read_answers(path: str) -> list[str]:
  """Reads the answers to choose from, from a list that owes nothing to the clients' questions.

  Args:
    path: a file of one answer per line, see `public_list.read_list`.

  Returns:
    The answers, written alike, in the order of the file. Equal ones count once. Answers of articles
    or signs only are left out.

  Raises:
    DataError: the file is missing or damaged, or has no such answer.
  """
  known = dict.fromkeys(map(normalise_answer, public_list.read_list(path)))
  known.pop('', None)
  if not known:
    raise examples.DataError(f'{path}: articles and signs only found, expected answers.')
  return list(known)
