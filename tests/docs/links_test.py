"""Tests of links to files and headings, of figures, and of the site's menu."""

import pathlib
import re

from absl.testing import absltest, parameterized

_ROOT = pathlib.Path(__file__).parents[2]
_PAGES = sorted(
  path.relative_to(_ROOT).as_posix()
  for path in (
    _ROOT / 'README.md',
    _ROOT / 'CONTRIBUTING.md',
    *_ROOT.joinpath('docs').rglob('*.md'),
  )
)


def _text(path):
  """Returns a page without its code."""
  text = re.sub(r'^```.*?^```$', '', path.read_text(encoding='utf-8'), flags=re.M | re.S)
  return re.sub(r'^    .*$', '', text, flags=re.M)


def _anchors(path):
  """Returns the anchors of a page's headings, as GitHub and the site make them."""
  headings = re.findall(r'^#+ (.*)$', _text(path), re.M)
  plain = [re.sub(r'[`*]|\[([^]]*)\]\([^)]*\)', r'\1', heading).lower() for heading in headings]
  return {re.sub(r'[^\w\- ]', '', heading).strip().replace(' ', '-') for heading in plain}


class LinksTest(parameterized.TestCase):
  @parameterized.parameters(*_PAGES)
  def test_links_of_a_page(self, page):
    text = re.sub(r'`[^`\n]*`', '', _text(_ROOT / page))
    for target in re.findall(r'\]\(([^)\s]+)\)', text):
      if target.startswith(('http://', 'https://')):
        continue
      name, _, anchor = target.partition('#')
      path = (_ROOT / page).parent / name if name else _ROOT / page
      self.assertTrue(path.exists(), f'{page}: {target} does not exist')
      if anchor:
        self.assertIn(anchor, _anchors(path), f'{page}: {target} has no such heading')

  @parameterized.parameters(*_PAGES)
  def test_figures_are_under_the_command_that_made_them(self, page):
    for section in re.split(r'^#+ ', _ROOT.joinpath(page).read_text(encoding='utf-8'), flags=re.M):
      before, *figures = re.split(r'^!\[', section, flags=re.M)
      if figures:
        self.assertRegex(before, r'python -m \S|make \S', f'{page}: {figures[0][:60]}')

  def test_the_menu_of_the_site_has_all_pages(self):
    listed = re.findall(r': (\S+\.md)$', _ROOT.joinpath('mkdocs.yml').read_text(), re.M)
    pages = [page.removeprefix('docs/') for page in _PAGES if page.startswith('docs/')]
    self.assertCountEqual(listed, pages)


if __name__ == '__main__':
  absltest.main()
