"""Tests of the embedding pipeline, run as a user runs it, on a network of a few lines."""

import json
import os
import pathlib
import signal

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from pipelines import embed
from tests import processes
from tests.embeddings import testing
from tests.pipelines import in_process
from tff_lg import data, embeddings

# Ends the process, by the operating system, in the middle of writing the third shard.
_KILLED = """
import os, signal, sys
from pipelines import embed, launch
from tff_lg import files
from tff_lg.embeddings import runs

runs._ROWS_A_SHARD = 8
replace, written = os.replace, []

def kill(source, target):
  if len(written) == 2:
    os.kill(os.getpid(), signal.SIGKILL)
  written.append(target)
  replace(source, target)

files.os.replace = kill
launch.run(embed.main)
"""


def _embed(*flags):
  return in_process.run(embed, *flags)


class EmbedTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)

  def test_killed_and_resumed_equals_never_killed(self):
    rng = np.random.default_rng(0)
    clips = {
      part: [
        (f'{part}{i}.wav', 'Cough' if i % 3 else 'Tom', rng.uniform(-1, 1, 100 + i))
        for i in range(n)
      ]
      for part, n in (('train', 21), ('test', 9))
    }
    data_dir = testing.write_clips(self.create_tempdir().full_path, clips)
    (data_dir / 'FSDKaggle2018.audio_train' / 'train4.wav').write_bytes(b'')
    network = testing.save_network(testing.AudioNetwork(), str(self.folder / 'network'))
    flags = ('--preset=yamnet', f'--handle={network}', f'--data_dir={data_dir}')
    flags += ('--positive_class=Cough',)
    whole, resumed = (str(self.folder / f'{name}.npz') for name in ('whole', 'resumed'))

    command = ('-m', 'pipelines.embed', *flags)
    result = processes.run_python(*command, f'--output={whole}')
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertIn('29 examples x 4: 29 embedded now', result.stdout)
    self.assertIn('1 skipped.\n', result.stdout)
    self.assertEndsWith(result.stdout, f'Embeddings: {whole}\n')
    self.assertIn('Skipped: clip train4.wav cannot be decoded', result.stderr)

    result = processes.run_code(_KILLED, *flags, f'--output={resumed}')
    self.assertEqual(result.returncode, -signal.SIGKILL, result.stderr)
    self.assertFalse(os.path.exists(resumed))
    self.assertLen([name for name in os.listdir(f'{resumed}.cache') if name.endswith('.npz')], 2)

    result = processes.run_python(*command, f'--output={resumed}')
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertIn('29 examples x 4: 13 embedded now', result.stdout)
    self.assertEqual(pathlib.Path(resumed).read_bytes(), pathlib.Path(whole).read_bytes())

    loaded = embeddings.EmbeddingSet.load(resumed)
    self.assertLen(loaded.part('train'), 20)
    self.assertLen(loaded.part('test'), 9)
    self.assertEqual(loaded.class_names.tolist(), ['rest', 'Cough'])
    self.assertEqual(list(json.loads(loaded.provenance)['skipped']), ['train4.wav'])

    result = _embed(*flags, '--strict', f'--output={self.folder}/strict.npz')
    self.assertEqual(result.returncode, 1)
    self.assertIn('embed: --strict: clip train4.wav cannot be decoded', result.stderr)
    self.assertNotIn('Traceback', result.stderr)
    self.assertFalse(os.path.exists(self.folder / 'strict.npz'))

  def test_images(self):
    network = testing.save_network(testing.ImageNetwork(), str(self.folder / 'network'))
    flags = ('--preset=inception_v3', f'--handle={network}', '--source=digits')
    flags += ('--image_size=8', '--image_range=-1,1', '--max_examples=50')
    output, cache_dir = str(self.folder / 'digits.npz'), str(self.folder / 'kept')
    result = _embed(*flags, f'--cache_dir={cache_dir}', f'--output={output}')
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertIn('50 examples x 5: 50 embedded now', result.stdout)
    self.assertCountEqual(os.listdir(self.folder), ['network', 'digits.npz', 'kept'])
    loaded = embeddings.EmbeddingSet.load(output)
    train = loaded.part('train')
    self.assertLen(train, 40)
    source = data.load_source('digits').train
    rows = [int(name.removeprefix('train/')) for name in train.ids]
    np.testing.assert_array_equal(train.y, source.y[rows])
    # The digits have 8 x 8 pixels already.
    means = 2 * source.x[rows].mean(axis=(1, 2, 3)) - 1
    np.testing.assert_allclose(train.x[:, 3], means, atol=1e-6)
    np.testing.assert_array_equal(train.x[:, 4], 8)
    self.assertEqual(json.loads(loaded.provenance)['preprocessing']['size'], 8)

  def test_image_files(self):
    network = testing.save_network(testing.ImageNetwork(), str(self.folder / 'network'))
    for number in range(2):
      pixels = np.full((3, 5, 3), 255 * number, np.uint8)
      (self.folder / f'picture_{number}.png').write_bytes(tf.io.encode_png(pixels).numpy())
    output = str(self.folder / 'pictures.npz')
    flags = ('--preset=inception_v3', f'--handle={network}', '--source=files', '--image_size=8')
    result = _embed(*flags, f'--data_dir={self.folder}', f'--output={output}')
    self.assertEqual(result.returncode, 0, result.stderr)
    loaded = embeddings.EmbeddingSet.load(output)
    self.assertEqual(loaded.ids.tolist(), ['picture_0.png', 'picture_1.png'])
    np.testing.assert_allclose(loaded.x, [[0, 0, 0, 0, 8], [1, 1, 1, 1, 8]], atol=1e-6)

  @parameterized.named_parameters(
    ('no_flag', ('yamnet',), "Unexpected argument 'yamnet'; use --name=value."),
    ('no_preset', ('--preset=',), '--preset'),
    ('unknown_preset', ('--preset=vgg',), 'vgg'),
    ('no_output', ('--output=',), '--output is missing, expected a file to write, .npz.'),
    ('output', ('--output=x.npy',), '--output is x.npy, expected a name in .npz.'),
    ('no_data_dir', ('--data_dir=',), '--data_dir is missing, expected the folder of the clips.'),
    ('source', ('--source=mnist',), '--source is given, but --preset=yamnet is for sounds.'),
    ('size', ('--image_size=3',), '--image_size is given, but --preset=yamnet is for sounds.'),
    (
      'strict',
      ('--preset=inception_v3', '--strict'),
      '--strict is given, but --preset=inception_v3 is for images.',
    ),
    ('no_source', ('--preset=inception_v3',), '--source is missing, expected one of arrays, '),
    (
      'no_image_folder',
      ('--preset=inception_v3', '--source=files', '--data_dir='),
      '--data_dir is missing, expected the folder of the images.',
    ),
    (
      'range',
      ('--preset=inception_v3', '--source=mnist', '--image_range=1'),
      '--image_range is 1, expected two numbers, for black and white.',
    ),
    ('max_examples', ('--max_examples=0',), '--max_examples'),
  )
  def test_refuses(self, flags, sentence):
    good = ('--preset=yamnet', '--data_dir=nowhere', f'--output={self.folder}/x.npz')
    result = _embed(*good, *flags)
    self.assertEqual(result.returncode, 1)
    self.assertIn(sentence, result.stderr)
    self.assertNotIn('Traceback', result.stderr)
    self.assertEmpty(os.listdir(self.folder))

  @parameterized.named_parameters(
    ('data_dir', '--data_dir=nowhere', '--data_dir: nowhere found, expected an existing folder.'),
    ('empty', '--data_dir=.', 'FSDKaggle2018.meta/train_post_competition.csv found'),
  )
  def test_refuses_data(self, flag, sentence):
    result = _embed('--preset=yamnet', flag, f'--output={self.folder}/x.npz')
    self.assertEqual(result.returncode, 1)
    self.assertIn(sentence, result.stderr)
    self.assertNotIn('Traceback', result.stderr)
    self.assertEmpty(os.listdir(self.folder))

  def test_help_imports_no_tensorflow(self):
    result = processes.run_python('-m', 'pipelines.embed', '--help')
    for text in ('--positive_class', 'a SavedModel', 'cache'):
      self.assertIn(text, result.stdout)
    code = 'import sys, pipelines.embed, tff_lg.embeddings; print("tensorflow" in sys.modules)'
    self.assertEqual(processes.run_python('-c', code).stdout.strip(), 'False')


if __name__ == '__main__':
  absltest.main()
