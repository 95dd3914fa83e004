"""The metadata of tools/uv.toml lead from requirements.in to the packages of the lock."""

import importlib.metadata
import pathlib
import re
import sys
import tomllib

from absl.testing import absltest
from packaging import requirements, utils

from tff_lg import environment

_ROOT = pathlib.Path(__file__).parents[2]


def _read_pins():
  lock, _ = environment.STACKS[sys.version_info[:2]]
  text = (_ROOT / lock).read_text()
  pins = dict(re.findall(r'^([a-z0-9-]+)(?:\[.*\])?==(\S+)', text, re.MULTILINE))
  return {utils.canonicalize_name(name): version for name, version in pins.items()}


def _read_corrections():
  tables = tomllib.loads((_ROOT / 'tools' / 'uv.toml').read_text())['dependency-metadata']
  return {table['name']: table for table in tables}


def _needed_with(requirement):
  """Returns what a package needs here, by its corrected or its installed metadata."""
  corrected = _read_corrections().get(requirement.name)
  if corrected is not None:
    return list(map(requirements.Requirement, corrected['requires-dist']))
  found = importlib.metadata.requires(requirement.name) or []
  extras = ('', *requirement.extras)
  return [
    each
    for each in map(requirements.Requirement, found)
    if each.marker is None or any(each.marker.evaluate({'extra': extra}) for extra in extras)
  ]


class UvMetadataTest(absltest.TestCase):
  def test_leads_to_the_packages_of_the_lock(self):
    lines = (_ROOT / 'requirements.in').read_text().splitlines()
    left = [requirements.Requirement(line) for line in lines if line and line[0] != '#']
    seen, names = set(), set()
    while left:
      requirement = left.pop()
      name = utils.canonicalize_name(requirement.name)
      key = (name, frozenset(requirement.extras))
      if key not in seen:
        seen.add(key)
        names.add(name)
        left += _needed_with(requirement)
    self.assertEqual(names, set(_read_pins()))

  def test_corrects_the_versions_of_the_lock(self):
    pins = _read_pins()
    for name, table in _read_corrections().items():
      self.assertEqual(table['version'], pins[name], name)

  def test_tff_is_pinned_by_name(self):
    # Without it, a resolver would take TFF 0.1, whose metadata pin nothing.
    lines = (_ROOT / 'requirements.in').read_text().splitlines()
    self.assertIn(f'tensorflow-federated=={_read_pins()["tensorflow-federated"]}', lines)


if __name__ == '__main__':
  absltest.main()
