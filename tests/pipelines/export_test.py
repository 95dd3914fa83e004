"""Test of the pipeline that writes a client's model, run as a user runs it."""

import json
import pathlib
from unittest import mock

import pandas as pd
from absl.testing import absltest

from pipelines import export, training_run
from tests.pipelines import in_process, testing
from tff_lg import progress
from tff_lg.run_folder import run_files


class ExportTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)

  def _export(self, *arguments):
    return in_process.run(export, f'--output={self.folder}/model', *arguments)

  def test_from_a_finished_run(self):
    run_dir = f'--run_dir={self.folder}/run'
    config = training_run.config_from_arguments(['--fast', '--baselines='])
    training_run.run(config, f'{self.folder}/run')
    output = f'--output={self.folder}/model'
    result = testing.run('export', run_dir, '--client=client_3', output)
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertIn(f'Model of client_3: {self.folder}/model', result.stdout)
    about = json.loads((self.folder / 'model/about.json').read_text())
    self.assertEqual(about['client']['client_id'], 'client_3')
    # As the part of an advice, whose table names it.
    advice = self.folder / 'advice'
    (advice / 'parts').mkdir(parents=True)
    (advice / 'parts/lg_fedavg').symlink_to(self.folder / 'run')
    clients = pd.DataFrame({'client_id': ['client_3'], 'advice': ['lg_fedavg']})
    run_files.write_tables(str(advice), {}, clients)
    (advice / 'advice.csv').write_text('')
    advised = f'--output={self.folder}/advised'
    with mock.patch.object(progress, 'stage', wraps=progress.stage) as stage:
      result = in_process.run(export, f'--run_dir={advice}', '--client=client_3', advised)
    self.assertEqual(result.returncode, 0, result.stderr)
    stages = [call.args[0] for call in stage.call_args_list]
    loading = f'loading {advice}/parts/lg_fedavg'
    self.assertEqual(stages, ['importing TensorFlow', loading, 'writing the model'])
    advised = json.loads((self.folder / 'advised/about.json').read_text())
    self.assertEqual(advised, about)
    everybody = f'--output={self.folder}/everybody'
    result = in_process.run(export, f'--run_dir={advice}', '--all_clients', everybody)
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertIn(f'Clients with models: 1, in {self.folder}/everybody', result.stdout)
    written = json.loads((self.folder / 'everybody/0/about.json').read_text())
    self.assertEqual(written, about)
    new = f'--output={self.folder}/new'
    result = in_process.run(export, f'--run_dir={advice}', '--client=client_5', new)
    self.assertEqual(result.returncode, 1)
    self.assertIn('--client is client_5, expected a client of', result.stderr)

    result = self._export(run_dir, '--client=client_3')
    self.assertEqual(result.returncode, 1)
    self.assertIn('the folder is not empty', result.stderr)

  def test_refuses(self):
    for arguments, sentence in (
      ((), 'export: --run_dir is missing'),
      ((f'--run_dir={self.folder}',), "--client is missing, expected a client's id, or --all_cli"),
      (
        (f'--run_dir={self.folder}', '--client=a', '--all_clients'),
        'export: --client and --all_clients are both given, expected one of them.',
      ),
      ((f'--run_dir={self.folder}', '--client=a'), 'holds no finished run: it has no summary.json'),
      (('a',), "export: Unexpected argument 'a'; use --name=value."),
    ):
      result = self._export(*arguments)
      self.assertEqual(result.returncode, 1)
      self.assertIn(sentence, result.stderr)
      self.assertNotIn('Traceback', result.stderr)
      self.assertFalse((self.folder / 'model').exists())


if __name__ == '__main__':
  absltest.main()
