"""Tests of the pieces of pages."""

from absl.testing import absltest
from markupsafe import Markup

from tff_lg.analysis import markup


class MarkupTest(absltest.TestCase):
  def test_values_are_escaped(self):
    html = markup.fill('paragraph', 'a < b', 'note')
    self.assertIsInstance(html, Markup)
    self.assertEqual(html, '<p class="note">a &lt; b</p>')
    self.assertEqual(markup.fill('paragraph', markup.fill('heading', 'x')), '<p><h3>x</h3>\n</p>')

  def test_table(self):
    groups = [('', 1), ('of & all', 2)]
    html = markup.fill('table', groups, ['a', 'b', 'c'], [('1', '2', '3')], ['n'])
    self.assertEqual(
      html,
      '<div class="scroll"><table>\n<thead><tr><th colspan="1"></th>'
      '<th colspan="2" class="group">of &amp; all</th></tr>\n<tr><th scope="col">a</th>'
      '<th scope="col">b</th><th scope="col">c</th></tr></thead>\n<tbody>\n'
      '<tr><th scope="row">1</th><td>2</td><td>3</td></tr>\n</tbody>\n</table></div>\n'
      '<p class="note">n</p>',
    )

  def test_a_long_name_may_break(self):
    html = markup.fill('words_table', ['metric'], [('a/<b>', 'x')], 'note')
    self.assertIn('<code>a/<wbr>&lt;b&gt;</code></th><td>x</td></tr>\n</tbody>', html)

  def test_tiles(self):
    html = markup.fill('tiles', {'a': '1', 'b': '2'})
    self.assertEqual(
      html,
      '<dl class="tiles"><div><dt>a</dt><dd>1</dd></div><div><dt>b</dt><dd>2</dd></div></dl>',
    )


if __name__ == '__main__':
  absltest.main()
