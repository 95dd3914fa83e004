"""Tests of the entries of techniques: what they build of their options, and their table."""

import pathlib

from absl.testing import absltest

from tests.learning import testing
from tff_lg import adaptation

_PAGE = pathlib.Path(__file__).parents[2] / 'docs/ADAPTATION.md'
_SETTING = {'ewc_strength': 2.0, 'distillation_alpha': 0.5, 'distillation_temperature': 3.0}


def _build(name, setting=None, **options):
  entry = adaptation.ADAPTATIONS[name]
  return entry.build(entry.options(**options), _SETTING | (setting or {}))


class EntryTest(absltest.TestCase):
  def test_order_of_tables_and_of_the_flag(self):
    self.assertEqual(
      list(adaptation.ADAPTATIONS), ['fine_tune', 'freeze_base', 'ewc', 'distillation', 'knn_per']
    )

  def test_which_layers_train(self):
    model = testing.classifier()
    trained = {name: _build(name).trained_layers(model) for name in adaptation.ADAPTATIONS}
    everything = ('hidden_1', 'output')
    others = dict.fromkeys(('fine_tune', 'ewc', 'distillation'), everything)
    self.assertEqual(trained, {**others, 'freeze_base': ('output',), 'knn_per': ()})
    named = _build('freeze_base', trained_layers=('hidden_1',))
    self.assertEqual(named.trained_layers(model), ('hidden_1',))

  def test_which_measure_on_public_data(self):
    built = {name: _build(name) for name in adaptation.ADAPTATIONS}
    measuring = [name for name, technique in built.items() if technique.measure is not None]
    self.assertEqual(measuring, ['ewc'])

  def test_options_and_settings_arrive(self):
    for name, setting in (
      ('ewc', {'ewc_strength': -1}),
      ('distillation', {'distillation_alpha': 2}),
      ('distillation', {'distillation_temperature': 0}),
    ):
      with self.assertRaises(ValueError):
        _build(name, setting)
    with self.assertRaisesRegex(ValueError, 'scaled_term is both'):
      _build('distillation', distillation_scaled_term='both')

  def test_table_of_the_page_has_their_rows(self):
    page = _PAGE.read_text(encoding='utf-8')
    for name, entry in adaptation.ADAPTATIONS.items():
      self.assertIn(f'\n| `{name}` | {entry.minimises} |', page)
      for option in entry.option_names():
        self.assertIn(f'--{option}', page)


if __name__ == '__main__':
  absltest.main()
