"""Tests that errors which need no TensorFlow come before it is imported."""

import json
import os

from absl.testing import absltest, parameterized

from tests import processes

# Whoever imports TensorFlow ends with another sentence.
_PROGRAM = """
import importlib, sys

REFUSED = 'tensorflow', 'tensorflow_federated'

class Refuse:
  def find_spec(self, name, path=None, target=None):
    if name.partition('.')[0] in REFUSED:
      sys.exit(f'{name} is imported')

sys.meta_path.insert(0, Refuse())
_, pipeline, *flags = sys.argv
sys.argv = [f'{pipeline}.py', *flags]
from pipelines import launch
launch.run(importlib.import_module(f'pipelines.{pipeline}').main)
"""
_CASES = (
  ('train_folder', 'train', ('--fast', '--run_dir=FOLDER'), 'is not empty and holds no run'),
  ('train_settings', 'train', ('--fast', '--seed=1', '--run_dir=FOLDER/run'), 'other settings'),
  (
    'train_mood',
    'train',
    ('--task=mood', '--data_dir=FOLDER/mood.csv'),
    'columns user, text found',
  ),
  (
    'train_table',
    'train',
    ('--task=table', '--data_dir=FOLDER/mood.csv', '--label_column=none'),
    'FOLDER/mood.csv: column none not found; it has user, text.',
  ),
  ('train_proc', 'train', ('--fast', '--run_dir=/proc/x'), '--run_dir=/proc/x cannot be written'),
  ('train_arrays', 'train', ('--task=arrays', '--data_dir=FOLDER'), 'no train.npz found'),
  ('train_mnist', 'train', ('--task=mnist', '--data_dir=FOLDER'), 'no train-images-idx3-ubyte'),
  ('train_cifar10', 'train', ('--task=cifar10', '--data_dir=FOLDER'), 'no data_batch_1 found'),
  ('train_text', 'train', ('--task=text', '--data_dir=FOLDER/empty'), 'no text found'),
  ('train_list', 'train', ('--task=text', '--vocabulary_file=FOLDER/none'), 'FOLDER/none: cannot'),
  ('advise_methods', 'advise', ('--methods=none',), '--methods is none, expected some of '),
  ('advise_settings', 'advise', ('--fast', '--run_dir=FOLDER/run'), 'other settings'),
  ('advise_mnist', 'advise', ('--task=mnist', '--data_dir=FOLDER'), 'no train-images-idx3-ubyte'),
  ('adapt_run', 'adapt', ('--from_run=FOLDER/none',), '--from_run=FOLDER/none holds no run'),
  ('adapt_unfinished', 'adapt', ('--from_run=FOLDER/run',), 'FOLDER/run is not finished'),
  (
    'adapt_own_models',
    'adapt',
    ('--from_run=FOLDER/done', '--local_only_from=FOLDER/none'),
    '--local_only_from=FOLDER/none has no own local models',
  ),
  ('new_device', 'new_device', ('--from_run=FOLDER/none',), '--from_run=FOLDER/none holds no run'),
  (
    'new_device_rows',
    'new_device',
    ('--from_run=FOLDER/done,FOLDER/other',),
    '--rounds is 2 in the one and 3 in the other',
  ),
  ('fair_name', 'fair', ('--partitions=all',), '--partitions is all, expected some of iid,non_iid'),
  ('fair_data', 'fair', ('--data_dir=FOLDER',), 'FOLDER: no adult.data found'),
  ('report', 'report', ('--run_dir=FOLDER/none',), '--run_dir=FOLDER/none: there is no such run'),
  (
    'report_others',
    'report',
    ('--run_dir=FOLDER/done', '--compare_with=FOLDER/none'),
    '--compare_with=FOLDER/none: there is no such run',
  ),
  ('theory', 'theory', ('--run_dir=FOLDER',), 'is not empty and holds no run'),
  ('xor', 'xor', ('--run_dir=FOLDER',), 'is not empty and holds no run'),
  (
    'embed_handle',
    'embed',
    ('--preset=yamnet', '--handle=FOLDER/none', '--data_dir=FOLDER', '--output=FOLDER/x.npz'),
    '--handle: FOLDER/none found, expected',
  ),
  (
    'embed_images',
    'embed',
    ('--preset=inception_v3', '--source=files', '--data_dir=FOLDER', '--output=FOLDER/x.npz'),
    '--data_dir: no image found in FOLDER',
  ),
)


class WithoutTensorflowTest(parameterized.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.folder = cls.create_tempdir(cls()).full_path
    settings = {'task': 'digits', 'method': 'fedavg', 'partition': 'iid', 'rounds': 2}
    for name, files in {
      'empty': {},
      'run': {'hparams.json': settings},
      'done': {'hparams.json': settings, 'summary.json': {}},
      'other': {'hparams.json': settings | {'rounds': 3}, 'summary.json': {}},
    }.items():
      os.makedirs(f'{cls.folder}/{name}')
      for file, content in files.items():
        with open(f'{cls.folder}/{name}/{file}', 'w', encoding='utf-8') as opened:
          json.dump(content, opened)
    with open(f'{cls.folder}/mood.csv', 'w', encoding='utf-8') as opened:
      opened.write('user,text\nann,hello\n')

  @parameterized.named_parameters(*_CASES)
  def test_sentence(self, pipeline, flags, sentence):
    if pipeline != 'embed' and not any(flag.startswith('--run_dir') for flag in flags):
      flags = (*flags, '--run_dir=FOLDER/new')
    flags = [flag.replace('FOLDER', self.folder) for flag in flags]
    result = processes.run_python('-c', _PROGRAM, pipeline, *flags)
    self.assertEqual(result.returncode, 1)
    self.assertStartsWith(result.stderr.splitlines()[-1], f'{pipeline}: ')
    self.assertIn(sentence.replace('FOLDER', self.folder), result.stderr)
    self.assertNotIn('Traceback', result.stderr)
    self.assertFalse(os.path.exists(f'{self.folder}/new'))

  @parameterized.parameters('train', 'fair', 'benchmark')
  def test_help_does_without_numpy_too(self, pipeline):
    program = _PROGRAM.replace("'tensorflow',", "'tensorflow', 'numpy',")
    result = processes.run_python('-c', program, pipeline, '--help')
    self.assertIn(f'USAGE: {pipeline}.py', result.stdout)
    self.assertEmpty(result.stderr)


if __name__ == '__main__':
  absltest.main()
