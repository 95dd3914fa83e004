"""Tests of the fields of configs, and of the two checks that all configs share."""

import dataclasses

from absl.testing import absltest

from tff_lg.config import option as option_lib


@dataclasses.dataclass(frozen=True)
class _Config:
  fruit: str | None = option_lib.option(None, 'Which fruit.', ('apple', 'pear'))
  guests: tuple[str, ...] = option_lib.option((), 'Who comes.', ('ann', 'ben'))
  sugar: float | None = option_lib.option(None, 'How much.')


class OptionTest(absltest.TestCase):
  def test_a_field_knows_its_flag(self):
    fruit, _, sugar = dataclasses.fields(_Config)
    expected = {'help': 'Which fruit.', 'choices': ('apple', 'pear'), 'is_path': False}
    self.assertEqual(fruit.metadata, expected)
    self.assertEqual((_Config().fruit, sugar.metadata['choices']), (None, None))

  def test_choices(self):
    option_lib.check_values(_Config())
    option_lib.check_values(_Config('pear', ('ben', 'ann'), 9.0))
    with self.assertRaisesRegex(option_lib.ConfigError, '--fruit is fig, expected one of apple, p'):
      option_lib.check_values(_Config('fig'))
    with self.assertRaisesRegex(option_lib.ConfigError, '--guests is cy, expected one of ann, ben'):
      option_lib.check_values(_Config(guests=('ann', 'cy')))

  def test_an_option_of_a_resolved_config_has_a_value(self):
    self.assertEqual(option_lib.resolved(0), 0)
    with self.assertRaisesRegex(TypeError, 'An option is None, expected one of a resolved config'):
      option_lib.resolved(None)

  def test_numbers_that_are_not_finite(self):
    for number in (float('inf'), float('-inf'), float('nan')):
      with self.assertRaisesRegex(
        option_lib.ConfigError, f'--sugar is {number}, expected a finite number'
      ):
        option_lib.check_values(_Config(sugar=number))
      with self.assertRaisesRegex(option_lib.ConfigError, f'--rates is {number}, expected a fin'):
        option_lib.check_finite('rates', (0.1, number))

  def test_options_belong_to_a_choice(self):
    def check(chosen, **given):
      option_lib.check_belongs(_Config(**given), ('fruit', 'sugar'), 'dish', chosen, ('pie', 'jam'))

    check('soup')
    check('jam', fruit='pear', sugar=1.0)
    check(('soup', 'pie'), sugar=1.0)
    # Zero is given, too.
    sentence = '--sugar is given, but --dish is soup: it belongs to --dish=pie and jam'
    for chosen in ('soup', ('soup', 'salad')):
      with self.assertRaisesRegex(option_lib.ConfigError, sentence):
        check(chosen, sugar=0.0)


if __name__ == '__main__':
  absltest.main()
