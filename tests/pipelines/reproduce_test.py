"""Tests of the pipeline that repeats published tables, run as a user runs it."""

import json
import pathlib

from absl.testing import absltest, parameterized

from tests.pipelines import testing

_SMALL = ('--', '--rounds=1', '--warm_start_rounds=1', '--local_budget=cohort')


class ReproduceTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)

  def _reproduce(self, *arguments):
    return testing.run('reproduce', *arguments)

  def test_a_quick_table_and_again(self):
    flags = ('digits_lg', '--quick', f'--run_dir={self.folder}/table', *_SMALL)
    result = self._reproduce(*flags)
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertIn('| LG-FedAvg, the published split |', result.stdout)
    self.assertIn('These are quick runs, which are not compared', result.stdout)
    table = (self.folder / 'table/table.md').read_text()
    self.assertIn(table.strip(), result.stdout)
    (trial,) = (self.folder / 'table/trials').iterdir()
    self.assertEqual(json.loads((trial / 'hparams.json').read_text())['rounds'], 1)
    written = (trial / 'summary.json').stat().st_mtime_ns
    (self.folder / 'table/table.md').unlink()
    result = self._reproduce(*flags)
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertEqual((self.folder / 'table/table.md').read_text(), table)
    self.assertEqual((trial / 'summary.json').stat().st_mtime_ns, written)

  def test_list(self):
    result = self._reproduce()
    self.assertEqual(result.returncode, 0)
    self.assertIn('mnist_lg: LG-FedAvg on MNIST', result.stdout)

  @parameterized.parameters(
    (('mnist',), "Unexpected argument 'mnist', expected a table: "),
    (('digits_lg', 'more'), "Unexpected argument 'more'; use --name=value."),
    (('digits_lg', '--data=x'), '--data is x, but the data of digits_lg are embedded.'),
    (('mnist_lg',), '--data is missing, expected the folder with the four idx files'),
    (('digits_lg', '--quick', '--seeds=3'), '--quick has one seed and is not recorded'),
    (('digits_lg', '--record=docs', '--', '--rounds=1'), '--record takes runs with the flags of'),
    (('digits_lg', '--', '--rounds=0'), '--rounds is 0'),
    (('mnist_lg', '--data=/no/such'), '/no/such'),
  )
  def test_refuses(self, arguments, sentence):
    result = self._reproduce(f'--run_dir={self.folder}/table', *arguments)
    self.assertEqual(result.returncode, 1)
    self.assertIn(sentence, result.stderr)
    self.assertStartsWith(result.stderr, 'reproduce: ')
    self.assertFalse((self.folder / 'table').exists())

  def test_needs_a_folder(self):
    result = self._reproduce('digits_lg')
    self.assertIn('--run_dir is missing', result.stderr)


if __name__ == '__main__':
  absltest.main()
