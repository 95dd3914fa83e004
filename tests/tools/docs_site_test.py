from absl.testing import absltest

from tools import docs_site

_HELPXML = """<AllFlags>
<usage>Does it.

  python -m pipelines.do --rounds=3
</usage>
<flag><key>yes</key><name>rounds</name><default>3</default><meaning>a|b &lt;c&gt;.</meaning></flag>
<flag><key>yes</key><name>path</name><default>None</default><meaning>A path.</meaning></flag>
<flag><key>no</key><name>verbosity</name><default>0</default><meaning>Of logs.</meaning></flag>
</AllFlags>"""


class DocsSiteTest(absltest.TestCase):
  def test_flags_page(self):
    page = docs_site.flags_page('do', _HELPXML).splitlines()
    self.assertEqual(page[:3], ['# do: flags', '', 'Does it.'])
    self.assertIn('python -m pipelines.do --rounds=3', page)
    self.assertEqual(
      page[-2:], ['| `--rounds` | `3` | a\\|b &lt;c>. |', '| `--path` |  | A path. |']
    )

  def test_room_page(self):
    page = docs_site.room_page('metrics', ['METRICS', 'Metric'])
    self.assertStartsWith(page, '# tff_lg.metrics\n\n::: tff_lg.metrics\n')
    self.assertEndsWith(page, '      members:\n        - METRICS\n        - Metric\n')

  def test_pipelines_and_rooms(self):
    self.assertContainsSubset(['train', 'advise', 'report'], docs_site.pipelines())
    self.assertNotIn('config_flags', docs_site.pipelines())
    self.assertIn('load_table', docs_site.rooms()['data'])

  def test_generated_pages_are_in_the_menu(self):
    config = {'nav': [{'Home': 'index.md'}, {'Reference': [{'Results': 'RESULTS.md'}]}]}
    _, flags, python = docs_site.on_config(config)['nav'][1]['Reference']
    self.assertIn({'train': 'reference/flags/train.md'}, flags['Flags'])
    self.assertIn({'data': 'reference/python/data.md'}, python['Python'])


if __name__ == '__main__':
  absltest.main()
