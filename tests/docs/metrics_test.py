"""Tests that docs/METRICS.md has every objective and metric as its entry says."""

import pathlib

from absl.testing import absltest

from tff_lg import metrics

_PAGE = pathlib.Path(__file__).parents[2] / 'docs' / 'METRICS.md'


def _listed(names):
  return ', '.join(f'`{name}`' for name in names) or '–'


class MetricsPageTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.lines = _PAGE.read_text(encoding='utf-8').splitlines()

  def test_metrics(self):
    for name, entry in metrics.METRICS.items():
      unit = ' (%)' if entry.is_share else ''
      better = 'more' if entry.more_is_better else 'less'
      self.assertIn(f'| `{name}` | {entry.label}{unit} | {better} | {entry.meaning} |', self.lines)

  def test_objectives(self):
    for name, entry in metrics.OBJECTIVES.items():
      self.assertIn(
        f'| `{name}` | {entry.label} | {entry.loss} | {_listed(entry.metrics)} '
        f'| {_listed(entry.further_metrics)} | {entry.verdict_test} |',
        self.lines,
      )


if __name__ == '__main__':
  absltest.main()
