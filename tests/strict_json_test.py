"""Tests of JSON with numbers that are not finite."""

import json

from absl.testing import absltest

from tff_lg import strict_json


class StrictJsonTest(absltest.TestCase):
  def test_numbers_that_are_not_finite(self):
    inf = float('inf')
    value = {'a': float('nan'), 'b': [inf, -inf, 1], 'c': 2.5, 'd': {'e': inf}}
    text = strict_json.dumps(value)

    def refuse(name):
      raise AssertionError(name)

    found = json.loads(text, parse_constant=refuse)
    self.assertEqual(found, {'a': None, 'b': [inf, -inf, 1], 'c': 2.5, 'd': {'e': inf}})

  def test_texts_stay(self):
    value = {'NaN': 'NaN', 'x': 'is: Infinity', 'Infinity': ['NaN', 'a NaN,']}
    self.assertEqual(json.loads(strict_json.dumps(value)), value)

  def test_finite_values_are_as_json_has_them(self):
    value = {'b': 1.5, 'a': [True, None, 'x']}
    self.assertEqual(strict_json.dumps(value), json.dumps(value, indent=2, sort_keys=True) + '\n')
    self.assertEqual(list(json.loads(strict_json.dumps(value, sort_keys=False))), ['b', 'a'])

  def test_load(self):
    path = self.create_tempfile(content='{"a": [1, null]}').full_path
    self.assertEqual(strict_json.load(path, dict, 'delete it'), {'a': [1, None]})
    with self.assertRaises(FileNotFoundError):
      strict_json.load(f'{path}.none', dict, 'delete it')

  def test_damaged_files_are_named(self):
    for content, make in (
      ('', dict),
      ('{"a": ', dict),
      ('[1]', dict),
      ('{}', lambda v: v['a']),
      ('[]', lambda v: v.items()),
      ('[' * 200_000, dict),
    ):
      path = self.create_tempfile(content=content).full_path
      with self.assertRaisesRegex(ValueError, f'^{path} is damaged .*: delete it.$'):
        strict_json.load(path, make, 'delete it')

  def test_class_of_the_error(self):
    path = self.create_tempfile(content='{').full_path
    with self.assertRaises(UnicodeError):
      strict_json.load(path, dict, 'delete it', UnicodeError)


if __name__ == '__main__':
  absltest.main()
