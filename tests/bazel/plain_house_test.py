"""What every module keeps to."""

import pathlib

from absl.testing import absltest

_ROOT = pathlib.Path(__file__).parents[2]
_TAG = r'</?(p|h\d|t[rdh]|table|thead|tbody|div|dl|dt|dd|pre|code|span|wbr)( class=.*)?/?>'


class PlainHouseTest(absltest.TestCase):
  def test_html_is_in_templates(self):
    for path in sorted(_ROOT.joinpath('tff_lg').rglob('*.py')):
      for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), start=1):
        self.assertNotRegex(line, _TAG, f'{path}:{number}')


if __name__ == '__main__':
  absltest.main()
