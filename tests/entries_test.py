"""Tests of entries: their options, and what a registry takes."""

import pathlib
import sys
import typing
from unittest import mock

import attrs
from absl.testing import absltest

from tff_lg import entries, option_check


@attrs.frozen
class _Options:
  strength: float = entries.option(0.5, 'How strong', option_check.POSITIVE)
  sizes: tuple[int, ...] | None = entries.option(
    None, 'Sizes', option_check.NOT_NEGATIVE, by_default="the paper's", more='All count.'
  )


@attrs.frozen
class _Stronger:
  rounds: int = entries.option(attrs.NOTHING, 'Rounds')
  strength: float = entries.option(2.0, 'How strong', option_check.POSITIVE)


@attrs.frozen
class _Other:
  strength: float = entries.option(0.5, 'What it can lift')


def _registry(**options):
  registry = entries.Registry('toy')
  for name, each in options.items():
    registry.register(entries.Entry(name=name, label=name, options=each))
  return registry


class OptionTest(absltest.TestCase):
  def test_as_flags_show_it(self):
    strength, sizes = _registry(a=_Options).list_options()
    self.assertEqual(strength, ('strength', float, strength.help, None, ('a',), False))
    self.assertEqual(strength.help, 'How strong (--toy=a); 0.5 by default.')
    self.assertEqual(sizes.help, "Sizes (--toy=a); the paper's by default. All count.")
    self.assertEqual(sizes.type, tuple[int, ...] | None)

  def test_an_option_of_several(self):
    registry = _registry(a=_Options, b=_Options, c=_Stronger)
    strength, sizes, rounds = registry.list_options('server_toy')
    self.assertEqual(
      strength.help,
      'How strong (--server_toy=a, b and c); 0.5 by default with a and b, 2 by default with c.',
    )
    self.assertEqual((strength.owners, sizes.owners), (('a', 'b', 'c'), ('a', 'b')))
    self.assertEqual(rounds.help, 'Rounds (--server_toy=c); no default.')

  def test_defaults_from_outside(self):
    option, *_ = _registry(a=_Options).list_options(default=lambda name, field: f'{name} 1')
    self.assertEqual(option.help, 'How strong (--toy=a); a 1 by default.')

  def test_checks(self):
    _Options(strength=1, sizes=(0, 2))
    with self.assertRaisesRegex(ValueError, '^strength is 0, expected more than 0.$'):
      _Options(strength=0)
    with self.assertRaisesRegex(ValueError, '^sizes has -1, expected 0 or more.$'):
      _Options(sizes=(3, -1))


class RegistryTest(absltest.TestCase):
  def test_is_a_mapping_in_the_order_of_registration(self):
    registry = _registry(b=_Options, a=entries.NoOptions)
    self.assertEqual((tuple(registry), len(registry)), (('b', 'a'), 2))
    self.assertEqual(registry['b'].option_names(), ('strength', 'sizes'))
    self.assertEmpty(registry['a'].contradictions(None))

  def test_names_are_taken_once(self):
    registry = _registry(a=_Options)
    with self.assertRaisesRegex(ValueError, '^toy a is registered already, expected a new name.$'):
      registry.register(entries.Entry(name='a', label='Again'))
    with self.assertRaisesRegex(ValueError, '^toy b has the option strength, which is one of a,'):
      registry.register(entries.Entry(name='b', label='B', options=_Other))
    self.assertEqual(tuple(registry), ('a',))

  def test_types_of_options_are_resolved_once(self):
    options = [attrs.frozen(type(name, (_Options,), {})) for name in 'abc']
    with mock.patch.object(typing, 'get_type_hints', wraps=typing.get_type_hints) as resolve:
      registry = _registry(**{each.__name__: each for each in options})
      self.assertEqual(registry.list_options(), registry.list_options())
    self.assertCountEqual([each.args[0] for each in resolve.call_args_list], options)


class ImportModulesTest(absltest.TestCase):
  def test_a_new_file_of_a_room_is_found(self):
    folder = pathlib.Path(self.create_tempdir().full_path)
    room = folder / 'toy_room'
    room.joinpath('heavy').mkdir(parents=True)
    files = {
      '__init__': """from tff_lg import entries
TOYS = entries.Registry('toy')
entries.import_modules(__name__, first=('kite',), without=('heavy', 'heavier'))
""",
      'heavy/__init__': 'raise NotImplementedError',
      'heavier': 'raise NotImplementedError',
    }
    for name in ('ball', 'kite', 'top'):
      files[name] = f"""from toy_room import TOYS, entries
TOYS.register(entries.Entry(name='{name}', label=''))
"""
    for name, text in files.items():
      room.joinpath(f'{name}.py').write_text(text)
    with mock.patch.object(sys, 'path', [*sys.path, str(folder)]), mock.patch.dict(sys.modules):
      import toy_room

      self.assertEqual(list(toy_room.TOYS), ['kite', 'ball', 'top'])


if __name__ == '__main__':
  absltest.main()
