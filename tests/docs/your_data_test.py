"""The Python of docs/YOUR_DATA.md runs verbatim, and the page has every option."""

import contextlib
import io
import json
import pathlib
import re

import attrs
import pandas as pd
from absl.testing import absltest

from tff_lg import data, models
from tff_lg.tasks import table

_PAGE = pathlib.Path(__file__).parents[2] / 'docs' / 'YOUR_DATA.md'
_TABLE = pd.DataFrame(
  {'hospital': ['a', 'b'] * 10, 'age': range(20), 'readmitted': ['no', 'no', 'yes', 'yes'] * 5}
)


class YourDataTest(absltest.TestCase):
  def test_python(self):
    page, _ = _PAGE.read_text().split('## A task of your own')  # Which outside_test runs.
    blocks = re.findall(r'```python\n(.*?)```', page, re.DOTALL)
    self.assertLen(blocks, 3)
    folder = pathlib.Path(self.create_tempdir().full_path)
    _TABLE.to_csv(folder / 'patients.csv', index=False)
    (folder / 'runs/hospitals').mkdir(parents=True)
    encoding = data.load_table(_TABLE, 'readmitted', 'hospital').encoding
    (folder / 'runs/hospitals/table_encoding.json').write_text(json.dumps(encoding.to_json()))
    printed = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
      pathlib.Path('my_networks.py').write_text(blocks.pop(1))
      exec('\n'.join(blocks), {})
      network = models.build_imported('my_networks:build', (5,), 2, 0)
    self.assertEqual(network.count_params(), 6 * 64 + 65 * 32 + 33 * 2)
    self.assertEqual(
      printed.getvalue().splitlines(), ["(20, 1) ('age',) ('no', 'yes')", "['a', 'b']"]
    )

  def test_options(self):
    page = _PAGE.read_text()
    for field in attrs.fields(table.Options):
      self.assertIn(f'--{field.name}', page)


if __name__ == '__main__':
  absltest.main()
