"""Tests of the lines on validation data by epoch of adaptation."""

import pandas as pd
from absl.testing import absltest, parameterized

from tff_lg.analysis import figures, style

_SERIES = {
  name: style.Series(label, '#111111', '-', 'o')
  for name, label in (('fine_tune', 'Fine-tuned'), ('ewc', 'EWC'))
}
_EPOCHS = [0, 5, 10]


def _draw(curves, metric='validation/accuracy'):
  curves = {name: pd.DataFrame(table, index=_EPOCHS) for name, table in curves.items()}
  figure = figures.validation_curves(curves, series=_SERIES, metric=metric)
  style.png_bytes(figure)
  return figure.axes


def _lines(axes):
  return [line.get_xydata().tolist() for line in axes.get_lines()]


class ValidationCurvesTest(parameterized.TestCase):
  @parameterized.parameters(
    ('validation/accuracy', 100, 'rate 0.1', 5), ('validation/loss', 1, 'rate 1', 5)
  )
  def test_best_setting_is_last_with_a_mark_at_its_best_epoch(self, metric, scale, best, epoch):
    values = {'rate 1': [0.5, 0.25, 0.5], 'rate 0.1': [0.5, 0.75, 0.5]}
    (panel,) = _draw({'fine_tune': values}, metric)
    self.assertEqual(panel.get_title(), f'Fine-tuned\n{best}')
    *lines, mark = _lines(panel)
    (other,) = {*values} - {best}
    for line, setting in zip(lines, (other, best), strict=True):
      self.assertEqual(
        line, [[e, scale * v] for e, v in zip(_EPOCHS, values[setting], strict=True)]
      )
    self.assertEqual(mark, [[epoch, scale * values[best][1]]])

  def test_of_equals_the_earliest_epoch_then_the_first_setting(self):
    for values, best, epoch in (
      ({'a': [0, 0, 1], 'b': [0, 1, 0]}, 'b', 5),
      ({'a': [0, 1, 1], 'b': [0, 1, 0]}, 'a', 5),
    ):
      (panel,) = _draw({'ewc': values})
      self.assertEqual(panel.get_title(), f'EWC\n{best}')
      self.assertEqual(_lines(panel)[-1], [[epoch, 100]])

  def test_a_panel_per_adaptation(self):
    panels = _draw({'fine_tune': {'a': [0, 1, 0]}, 'ewc': {'b': [1, 0, 0]}})
    self.assertEqual([panel.get_title() for panel in panels], ['Fine-tuned\na', 'EWC\nb'])
    self.assertEqual([panel.get_ylabel() for panel in panels], ['validation accuracy (%)', ''])


if __name__ == '__main__':
  absltest.main()
