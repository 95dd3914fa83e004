"""The notebooks run, and print what they have stored."""

import json
import pathlib

from absl.testing import absltest, parameterized

from tools import notebooks

_FOLDER = pathlib.Path(__file__).parents[2] / 'docs' / 'notebooks'


def _printed(notebook):
  return [
    ''.join(output['text'])
    for cell in notebook['cells']
    if cell['cell_type'] == 'code'
    for output in cell['outputs']
  ]


class NotebooksTest(parameterized.TestCase):
  def test_all_are_tested(self):
    names = {path.stem for path in _FOLDER.glob('*.ipynb')}
    self.assertEqual(names, {'own_table', 'own_keras_model', 'own_aggregator'})

  @parameterized.parameters('own_table', 'own_keras_model', 'own_aggregator')
  def test_runs(self, name):
    path = _FOLDER / f'{name}.ipynb'
    stored = _printed(json.loads(path.read_text(encoding='utf-8')))
    self.assertNotEmpty(stored)
    found = _printed(notebooks.execute(path))
    # Scores differ between versions of TensorFlow.
    if name == 'own_table':
      self.assertEqual(found[0], stored[0])
      self.assertIn('better', found[1])
      self.assertLen(found, len(stored))
    else:
      self.assertEqual(found, stored)


if __name__ == '__main__':
  absltest.main()
