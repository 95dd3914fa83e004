"""Tests of the page: self-contained, whole or not there, and complete whatever is missing."""

import html.parser
import json
import os
import re
from unittest import mock

from absl.testing import absltest
from markupsafe import Markup
from matplotlib.figure import Figure

from tests.analysis import testing
from tff_lg import progress
from tff_lg.analysis import report, style, synthetic
from tff_lg.analysis.client_panels import ClientPanel
from tff_lg.analysis.run_folder import RunFolder, RunFolderError
from tff_lg.analysis.sections import Illustration, Section, sections_comparing

_FIGURES = [
  'accuracy_against_bytes',
  'client_scatter',
  'improvement',
  'label_counts',
  'training_curves',
]
_FILES = [f'{name}.{ending}' for name in _FIGURES for ending in ('pdf', 'png', 'svg')]


class _Page(html.parser.HTMLParser):
  """The references of a page, its ids, and whether every element is closed."""

  def __init__(self, path):
    super().__init__()
    self.references, self.ids, self.open = [], [], []
    with open(path, encoding='utf-8') as file:
      self.text = file.read()
    self.feed(self.text)

  def handle_starttag(self, tag, attrs):
    if tag not in ('meta', 'wbr', 'br', 'link', 'img'):
      self.open.append(tag)
    for name, value in attrs:
      if name in ('src', 'href', 'xlink:href', 'action', 'data'):
        self.references.append(value)
      if name == 'id':
        self.ids.append(value)

  def handle_startendtag(self, tag, attrs):
    self.handle_starttag(tag, attrs)
    if self.open and self.open[-1] == tag:
      self.open.pop()

  def handle_endtag(self, tag):
    assert self.open.pop() == tag, f'{tag} is closed, but it is not the last one opened'


class WriteReportTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.path = self.create_tempdir().full_path
    synthetic.write_synthetic_run_folder(self.path, num_clients=3, num_rounds=4)
    # Figures' files take most of the time.
    self.enter_context(mock.patch.object(style, 'pdf_bytes', return_value=b''))
    self.enter_context(mock.patch.object(style, 'png_bytes', return_value=b''))

  def test_page_is_self_contained(self):
    page = _Page(report.write_report(self.path))
    self.assertEmpty(page.open)
    self.assertNotIn('http:', page.text)
    self.assertNotIn('https:', page.text)
    self.assertNotIn('@import', page.text)
    for reference in page.references:
      self.assertTrue(reference.startswith(('#', 'data:')), reference)
      if reference.startswith('#'):
        self.assertIn(reference[1:], page.ids)

  def test_sections_and_figures(self):
    page = _Page(report.write_report(self.path))
    for key in (
      'result',
      'methods',
      'clients',
      'comparison',
      'training',
      'communication',
      'labels',
      'model',
    ):
      self.assertIn(key, page.ids)
    self.assertEqual(page.text.count('<svg role="img"'), 5)
    names = {name.split('.')[0] for name in os.listdir(os.path.join(self.path, 'figures'))}
    self.assertEqual(sorted(names), _FIGURES)

  def test_says_that_numbers_are_invented(self):
    page = _Page(report.write_report(self.path))
    self.assertIn('every number on this page is invented', page.text)

  def test_clients_open_panels(self):
    figure = Figure()
    axes = figure.subplots()
    axes.set_xlim(0, 2)
    marks = (style.ClientMark(1, '</script>"', 'a <b>: +1'),)
    panel = ClientPanel([('size', '7')], ['model'], [['FedAvg']], [('yes', 3)], 'a command')
    section = Section(
      'each',
      'Each',
      illustrations=(Illustration('f', figure, 'all', marks),),
      panels={'</script>"': panel, 'a': panel},
    )
    page = _Page(report.write_page(self.path, 'Page', [section]))
    self.assertEmpty(page.open)
    self.assertIn('data-client="&lt;/script&gt;&#34;"', page.text)
    self.assertIn('<title>a &lt;b&gt;: +1</title>', page.text)
    (data,) = re.findall('<script type="application/json" id="panels">(.*)</script>', page.text)
    names = [name for name, _ in json.loads(data)]
    self.assertEqual(names, ['</script>"', 'a'])
    self.assertEqual(json.loads(data)[1][1], json.loads(json.dumps(panel)))
    # One client in the middle of two units.
    area = re.search('x="([0-9.]+)" y="([0-9.]+)" width="([0-9.]+)" height="([0-9.]+)"', page.text)
    left, top, width, height = map(float, area.groups())
    box = axes.get_position()
    self.assertAlmostEqual(left + width / 2, 72 * 6.4 * (box.x0 + box.x1) / 2, delta=0.1)
    self.assertAlmostEqual(width, 72 * 6.4 * box.width / 2, delta=0.1)
    self.assertAlmostEqual(top + height, 72 * 4.8 * (1 - box.y0), delta=0.2)
    self.assertNotIn('<dialog', _Page(report.write_page(self.path, 'Page', [])).text)

  def test_names_are_escaped(self):
    with open(os.path.join(self.path, 'hparams.json'), 'w', encoding='utf-8') as file:
      file.write('{"method": "<script>", "task": "</title>"}')
    page = _Page(report.write_report(self.path))
    self.assertNotIn('<script>', page.text)
    self.assertEqual(page.text.count('</title>'), 1)

  def test_same_run_same_page(self):
    first = _Page(report.write_report(self.path)).text
    self.assertEqual(first, _Page(report.write_report(self.path)).text)

  def test_the_first_report_of_a_run_counts_among_its_seconds(self):
    # The invented run took 75 s.
    with mock.patch.object(report, 'time', mock.Mock(monotonic=lambda: 130.0)):
      text = _Page(report.write_report(self.path, began=100.0)).text
    self.assertIn('<th scope="row">whole run</th><td>1 min 45 s</td>', text)
    self.assertIn('<th scope="row">report</th><td>30.0 s</td>', text)
    for again in (None, 0.0):
      self.assertEqual(text, _Page(report.write_report(self.path, began=again)).text)
    with open(os.path.join(self.path, 'timing.json'), encoding='utf-8') as file:
      timing = {'seconds': 105.0, 'report_seconds': 30.0, 'rounds_per_second': 2.5}
      self.assertEqual(json.load(file), timing)

  def test_says_that_it_is_written(self):
    with mock.patch.object(progress, 'stage', wraps=progress.stage) as stage:
      report.write_page(self.path, 'Page', [])
    stage.assert_called_once_with('writing the report')

  def test_output(self):
    output = os.path.join(self.path, 'elsewhere', 'page.html')
    self.assertEqual(report.write_report(self.path, output=output), output)
    self.assertFalse(os.path.exists(os.path.join(self.path, 'report.html')))

  def test_sections_of_other_rooms(self):
    def build_privacy(run):
      return Section('privacy', 'Privacy <spent>', Markup('<p>of {}</p>').format(run.method))

    page = _Page(report.write_report(self.path, builders=(build_privacy, lambda run: None)))
    self.assertEqual(page.ids, ['privacy'])
    self.assertIn('<h2>Privacy &lt;spent&gt;</h2>\n<p>of lg_fedavg</p>', page.text)

  def test_comparison_with_other_runs(self):
    other = RunFolder.load(
      synthetic.write_synthetic_run_folder(
        os.path.join(self.create_tempdir().full_path, 'twin'), num_clients=3, num_rounds=4
      )
    )
    builders = sections_comparing([other], 'participant_test/accuracy')
    page = _Page(report.write_report(self.path, builders=builders))
    self.assertIn('<th scope="row">LG-FedAvg (twin)</th>', page.text)
    self.assertEqual(page.text.count('<svg role="img"'), 6)

  def test_only_the_needed_files(self):
    for name in ('communication.csv', 'label_counts.csv', 'model_split.txt', 'timing.json'):
      os.remove(os.path.join(self.path, name))
    page = _Page(report.write_report(self.path))
    self.assertNotIn('labels', page.ids)
    self.assertNotIn('model', page.ids)

  def test_damaged_run_writes_nothing(self):
    os.remove(os.path.join(self.path, 'summary.json'))
    with self.assertRaises(RunFolderError):
      report.write_report(self.path)
    self.assertFalse(os.path.exists(os.path.join(self.path, 'report.html')))

  def test_stopped_writer_leaves_the_old_page(self):
    page = report.write_report(self.path)
    before = _Page(page).text
    with mock.patch.object(os, 'replace', side_effect=KeyboardInterrupt):
      with self.assertRaises(KeyboardInterrupt):
        report.write_report(self.path)
    self.assertEqual(_Page(page).text, before)


class SmallestRunTest(absltest.TestCase):
  def test_one_client(self):
    path = self.create_tempdir().full_path
    synthetic.write_synthetic_run_folder(path, num_clients=1, num_rounds=2)
    self.assertRegex(_Page(report.write_report(path)).text, '[01] of 1 clients')

  def test_nothing_but_clients(self):
    run = testing.make_run(summary={}, hparams={}, metrics=testing.make_run().metrics[[]].iloc[:0])
    keys = [section.key for section in report.build_sections(run)]
    self.assertEqual(keys, ['result', 'methods', 'clients', 'comparison', 'configuration'])

  def test_save_figures(self):
    path = self.create_tempdir().full_path
    synthetic.write_synthetic_run_folder(path, num_clients=2, num_rounds=2)
    paths = report.save_figures(RunFolder.load(path))
    self.assertEqual(sorted(paths), [os.path.join(path, 'figures', name) for name in _FILES])


if __name__ == '__main__':
  absltest.main()
