"""Users' posts with their times, as in LEAF's Reddit and Sent140 and in exports of BigQuery."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

# What LEAF's Reddit has beside the words, and authors and texts that Reddit took away.
_MARKS = frozenset(('<BOS>', '<EOS>', '<PAD>'))
GONE = frozenset(('[deleted]', '[removed]'))


class Post(NamedTuple):
  """A post.

  Attributes:
    text: on one line.
    time: by which a user's posts are sorted; None where nothing but their order is known.
  """

  text: str
  time: float | None = None


def from_leaf(xs: Sequence[Any], ys: Sequence[Any]) -> list[Post] | None:
  """Returns the posts of a user of LEAF's Reddit or Sent140.

  Args:
    xs: posts. For Reddit, each has sequences of words; before LEAF cuts these, it is a string. For
      Sent140, it is a row of id, date, query, user and text.
    ys: as many. For Reddit, each is a mapping, with `created_utc` among the rest; for Sent140, it
      is the mood.

  Returns:
    The posts, timed by `created_utc`, or by the ids of tweets, which grow with time; None if this
    is another format.
  """
  posts = []
  for x, y in zip(xs, ys, strict=True):
    post = _from_tweet(x) if isinstance(y, int) else _from_reddit(x, y)
    if post is None:
      return None
    posts.append(post)
  return posts


def from_row(row: Mapping[str, Any]) -> tuple[str, Post] | None:
  """Returns author and post of a row of BigQuery's table of Reddit comments.

  Args:
    row: with `author` and `body`, and `created_utc` for the time.

  Returns:
    The author and the post; None for one that was taken away.

  Raises:
    ValueError: author or body is not text, or the time is not a number.
  """
  author, body, time = row.get('author'), row.get('body'), row.get('created_utc')
  if not isinstance(author, str) or not isinstance(body, str):
    raise ValueError('expected "author" and "body", a string each')
  if {author, body} & GONE:
    return None
  return author, Post(' '.join(body.split()), None if time is None else float(time))


def _from_tweet(row: Any) -> Post | None:
  """Returns a row of Sent140 as a post."""
  if not (isinstance(row, list) and len(row) >= 5 and all(isinstance(c, str) for c in row)):
    return None
  return Post(' '.join(row[4].split()), float(row[0]) if row[0].isdecimal() else None)


def _from_reddit(comment: Any, about: Any) -> Post | None:
  """Returns a comment of LEAF's Reddit as a post."""
  if not isinstance(about, dict):
    return None
  if isinstance(comment, str):
    words = comment.split()
  elif isinstance(comment, list) and all(isinstance(sequence, list) for sequence in comment):
    words = [word for sequence in comment for word in sequence]
  else:
    return None
  if not all(isinstance(word, str) for word in words):
    return None
  try:
    time = None if about.get('created_utc') is None else float(about['created_utc'])
  except (TypeError, ValueError):
    return None
  return Post(' '.join(word for word in words if word not in _MARKS), time)
