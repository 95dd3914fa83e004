"""Settings that differ between two configs: what they were, and what they are."""

from collections.abc import Collection, Mapping
from typing import Any


def find(
  before: Mapping[str, Any], now: Mapping[str, Any], open_names: Collection[str] = ()
) -> dict[str, tuple[Any, Any]]:
  """Returns old and new values of settings that differ, by name; None for one that is not there.

  Those that are None in neither come first, as others follow from them.

  Args:
    before: settings by name.
    now: the same, later.
    open_names: of those that are not compared.
  """
  names = sorted({*before, *now} - set(open_names))
  values = {name: (before.get(name), now.get(name)) for name in names}
  different = {name: pair for name, pair in values.items() if pair[0] != pair[1]}
  return dict(sorted(different.items(), key=lambda item: None in item[1]))
