"""Test of the pipeline that advises clients, run as a user runs it."""

import json
import pathlib
import re
import shlex

import pandas as pd
from absl.testing import absltest

import pipelines
from pipelines import advise
from tests.pipelines import in_process

_DEMO = pathlib.Path(pipelines.__file__).parent / 'configs/advise_demo.flags'


def setUpModule():
  in_process.set_up_module()


class AdviseTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)

  def _advise(self, *arguments):
    return in_process.run(advise, '--fast', f'--run_dir={self.folder}/advice', *arguments)

  def test_from_flags_to_report_and_again(self):
    flags = ('--methods=fedavg,lg_fedavg', '--aggregator=median', '--partition=iid')
    result = self._advise(*flags)
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertIn('Part 1 of 6: local_only', result.stderr)
    for text in ('LG-FedAvg, 0.25 local, plain', 'FedAvg, adapted', 'So advised, clients gain'):
      self.assertIn(text, result.stdout)
    advice = pd.read_csv(self.folder / 'advice/advice.csv')
    self.assertLen(advice, 10)
    summary = json.loads((self.folder / 'advice/summary.json').read_text())
    self.assertEqual(summary['num_clients'], 10)
    self.assertEqual(summary['models/fedavg_plain/advised_clients'], 0)
    self.assertAlmostEqual(summary['gain/mean_over_clients'], advice['gain'].mean())
    parts = advice['gain_of_taking_part'] + advice['gain_of_choosing']
    pd.testing.assert_series_equal(parts, advice['gain'], check_names=False)
    of_own = pd.read_parquet(self.folder / 'advice/parts/local_only/clients.parquet')
    self.assertEqual(advice['own_test'].tolist(), of_own['local_test/accuracy'].tolist())
    command = shlex.split(advice['export_command'][0])
    self.assertIn(f'--run_dir={self.folder}/advice', command)
    page = (self.folder / 'advice/report.html').read_text()
    for text in (
      'Each client',
      'id="panels"',
      'polyline points',
      '<rect class="area" data-client="client_0"',
    ):
      self.assertIn(text, page)
    panels = dict(json.loads(re.search(r'id="panels"[^>]*>(.*?)</script>', page, re.DOTALL)[1]))
    looks = re.findall(r'<polyline points="[^"]*" (.*?)/>', panels['client_0'][-1])
    self.assertGreater(len(looks), 2)  # Two methods at least, and the client's own model.
    self.assertLen(set(looks), len(looks))

    # As if it had been stopped in its last part; the others are as they were.
    before = (self.folder / 'advice/summary.json').read_bytes()
    (self.folder / 'advice/summary.json').unlink()
    (self.folder / 'advice/parts/fedavg_adapted/summary.json').unlink()
    done = self.folder / 'advice/parts/lg_fedavg_0.25/summary.json'
    written = done.stat().st_mtime_ns
    result = self._advise(*flags, '--export_models')
    self.assertEqual(result.returncode, 0, result.stderr)
    models = pd.read_csv(self.folder / 'advice/models/models.csv')
    self.assertEqual(models['client_id'].tolist(), advice['client_id'].tolist())
    for folder in models['folder']:
      self.assertTrue((self.folder / f'advice/models/{folder}/model.keras').exists())
    self.assertEqual((self.folder / 'advice/summary.json').read_bytes(), before)
    self.assertEqual(done.stat().st_mtime_ns, written)

    result = self._advise('--methods=fedavg')
    self.assertEqual(result.returncode, 1)
    self.assertIn('holds a run with other settings (', result.stderr)

  def test_refuses(self):
    for arguments, sentence in (
      (('--run_dir=',), 'advise: --run_dir is missing, expected a folder for this advice'),
      (('--method=fedavg',), 'advise: --method belongs to a single run; use --methods.'),
      (('--local_layer_shares=half',), '--local_layer_shares is half, expected numbers'),
      (('--folds=3',), '--folds belongs to pipelines.train; use one --fold here.'),
      (('--seeds=3',), '--seeds is 3, expected two seeds or more'),
      (('--seeds=0-1', '--seed=0'), '--seed and --seeds are both given'),
      ((f'--flagfile={_DEMO}', '--run_dir=/dev/null/demo'), '--run_dir=/dev/null/demo cannot be'),
      (('--methods=sgd',), 'advise: --methods is sgd, expected some of '),
      (('a',), "advise: Unexpected argument 'a'; use --name=value."),
    ):
      result = self._advise(*arguments)
      self.assertEqual(result.returncode, 1)
      self.assertIn(sentence, result.stderr)
      self.assertNotIn('Traceback', result.stderr)
      self.assertFalse((self.folder / 'advice').exists())


if __name__ == '__main__':
  absltest.main()
