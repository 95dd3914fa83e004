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


if __name__ == '__main__':
  absltest.main()
