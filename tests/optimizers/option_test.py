"""Tests of options: what is checked, and what an error says."""

import attrs
from absl.testing import absltest, parameterized

from tff_lg import option_check
from tff_lg.optimizers import option


@attrs.frozen
class _Options:
  share: float = option.option(0.5, 'A share', option_check.BELOW_ONE)
  size: int = option.option(None, 'A size', option_check.POSITIVE)


class OptionTest(parameterized.TestCase):
  def test_default_and_help_text(self):
    share, size = attrs.fields(_Options)
    self.assertEqual((share.default, share.metadata['help'], share.type), (0.5, 'A share', float))
    self.assertEqual((_Options().share, _Options().size, size.type), (0.5, None, int))

  @parameterized.parameters(('share', 1.0, 'in [0, 1)'), ('size', 0, 'more than 0'))
  def test_value_that_cannot_be(self, name, value, expected):
    with self.assertRaises(option_check.OptionError) as caught:
      _Options(**{name: value})
    error = caught.exception
    self.assertEqual((error.name, error.value, error.expected), (name, value, expected))
    self.assertEqual(str(error), f'{name} is {value}, expected {expected}.')


if __name__ == '__main__':
  absltest.main()
