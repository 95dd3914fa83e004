"""Tests of the pipeline that repeats published tables, run as a user runs it."""

import json
import pathlib
from unittest import mock

import attrs
from absl.testing import absltest, parameterized

from pipelines import reproduce
from tests.pipelines import in_process
from tff_lg import published

_SMALL = ('--', '--rounds=1', '--warm_start_rounds=1', '--local_budget=cohort')


def setUpModule():
  in_process.set_up_module()


def _with_fine_tuning(flags):
  """Returns flags of a run; one that adapts does so by fine-tuning alone."""
  others = ('--ewc', '--distillation')
  more = ',freeze_base,ewc,distillation'
  return tuple(flag.replace(more, '') for flag in flags if not flag.startswith(others))


def _leave_out(test, name, part, *labels):
  """Takes figures with a label, and runs with the part, if any, in their names, out of a table."""
  table = published.TABLES[name]
  figures = tuple(
    each
    for each in table.figures
    if not any(label in f'{each.row}, {each.column}' for label in labels)
  )
  runs = tuple(
    attrs.evolve(run, flags=_with_fine_tuning(run.flags))
    for run in table.runs
    if part is None or part not in run.name
  )
  smaller = attrs.evolve(table, figures=figures, runs=runs)
  tables = {**published.TABLES, name: smaller}
  test.enter_context(mock.patch.object(published, 'TABLES', tables))


class ReproduceTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)

  def _reproduce(self, *arguments):
    return in_process.run(reproduce, *arguments)

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

  def _trial(self, run):
    return self.folder / f'table/trials/run={run}__seed=0'

  def test_a_quick_table_of_runs_that_start_from_others(self):
    _leave_out(self, 'digits_new_device', 'classes_per_client', 'two classes')
    flags = ('digits_new_device', '--quick', f'--run_dir={self.folder}/table', *_SMALL[:2])
    result = self._reproduce(*flags)
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertRegex(result.stdout, r'\| The new device alone \|  \| \d')
    self.assertNotIn('–', (self.folder / 'table/table.md').read_text())
    hparams = json.loads((self._trial('lg_fedavg_iid_joined') / 'hparams.json').read_text())
    self.assertEqual(hparams['from_run'], [str(self._trial('lg_fedavg_iid'))])
    self.assertEqual((hparams['rounds'], hparams['source_1']['rounds']), (5, 1))
    # A run that did not end is run again, from the source run that is there.
    (self._trial('lg_fedavg_iid_joined') / 'summary.json').unlink()
    written = (self._trial('lg_fedavg_iid') / 'summary.json').stat().st_mtime_ns
    again = self._reproduce(*flags)
    self.assertEqual(again.returncode, 0, again.stderr)
    self.assertEqual(again.stdout, result.stdout)
    self.assertEqual((self._trial('lg_fedavg_iid') / 'summary.json').stat().st_mtime_ns, written)
    # What other runs start from does not change.
    changed = self._reproduce(*flags[:-1], '--rounds=20')
    self.assertEqual(changed.returncode, 1)
    self.assertIn('rounds of trial run=fedavg_iid__seed=0 was 1, now 2', changed.stderr)

  def test_a_quick_table_of_adaptation(self):
    _leave_out(self, 'digits_adaptation', None, 'freeze-base', 'EWC', 'distillation')
    flags = (f'--run_dir={self.folder}/table', '--', '--rounds=1', '--local_budget=cohort')
    result = self._reproduce('digits_adaptation', '--quick', *flags)
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertNotIn('–', (self.folder / 'table/table.md').read_text())
    hparams = json.loads((self._trial('dp_adapted') / 'hparams.json').read_text())
    self.assertEqual((hparams['epochs'], hparams['evaluate_every_epochs']), (2, 1))
    self.assertEqual(hparams['local_only_from'], str(self._trial('basic')))
    hparams = json.loads((self._trial('robust_adapted') / 'hparams.json').read_text())
    self.assertEqual(hparams['source']['aggregator'], 'median')

  def test_a_quick_table_of_mixtures(self):
    result = self._reproduce('digits_mixing', '--quick', f'--run_dir={self.folder}/table')
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertRegex(result.stdout, r'\| The better of both models \| \d\S+ \| \d')
    self.assertIn('--epochs=2\n', (self._trial('mixing') / 'flags.txt').read_text())

  def test_list(self):
    result = self._reproduce()
    self.assertEqual(result.returncode, 0)
    self.assertIn('mnist_lg: LG-FedAvg on MNIST', result.stdout)
    (self.folder / 'RESULTS.md').touch()
    self.assertEqual(self._reproduce(f'--record={self.folder}').returncode, 0)
    self.assertIn('`mnist_lg`: LG-FedAvg on', (self.folder / 'RESULTS.md').read_text())

  @parameterized.parameters(
    (('mnist',), "Unexpected argument 'mnist', expected a table: digits_mixing, "),
    (('digits_lg', '--quick', '--', '--epochs=2'), 'epochs'),
    (('digits_lg', '--', '--seed=3'), '--seed=3 is given for all trials'),
    (('digits_lg', 'more'), "Unexpected argument 'more'; use --name=value."),
    (('digits_lg', '--data=x'), '--data is x, but the data of digits_lg are embedded.'),
    (('mnist_lg',), '--data is missing, expected the folder with the four idx files'),
    (('digits_lg', '--quick', '--seeds=3'), '--quick has one seed and is not recorded'),
    (('digits_lg', '--record=docs', '--', '--rounds=1'), '--record takes runs with the flags of'),
    (('digits_lg', '--record=/no/such'), '/no/such/RESULTS.md'),
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
