"""Runs every command of docs/tutorials/cgau.md, on tiny data and for few rounds."""

import contextlib
import pathlib
import re
import shlex
import shutil

import numpy as np
from absl.testing import absltest

from pipelines import sweep
from tests import processes
from tests.embeddings import testing
from tests.pipelines import in_process

_ROOT = pathlib.Path(__file__).parents[2]
_TUTORIAL = _ROOT / 'docs' / 'tutorials' / 'cgau.md'


# The sections whose commands run, each with those whose results it needs. Tests are in shards.
_EMBED = '1. Embed'
_SOUND = (_EMBED, '2. Look at the clients', '3. Train a baseline and a CGAU')
_SWEEP = (_EMBED, '4. Sweep over p')
_OTHERS = ('Your own images', 'Why a shift is enough: XOR')
# What is added to commands that begin so.
_FEW_ROUNDS = (
  (
    'python -m pipelines.train --task',
    '--rounds=2 --local_only_epochs=2 --local_only_learning_rate=0.1',
  ),
  ('python -m pipelines.train --flagfile', '--rounds=2'),
  ('python -m pipelines.sweep', '--rounds=2'),
  ('python -m pipelines.xor', '--rounds=2 --initialisations=2'),
)


def _sections(text):
  """Returns the text of each section by its heading."""
  _, *parts = re.split(r'^## ', text, flags=re.MULTILINE)
  return {part.partition('\n')[0]: part.partition('\n')[2] for part in parts}


def _commands(text, language):
  """Returns the lines of all code blocks in a language."""
  blocks = re.findall(rf'^```{language}\n(.*?)^```$', text, re.DOTALL | re.MULTILINE)
  return [line.removeprefix('$ ') for block in blocks for line in block.splitlines()]


def _paths(text):
  """Returns all code in a text that is a path of a run."""
  return re.findall(r'`(runs/[^`\s]+)`', text)


def _clips(part, num_clips):
  """Makes noises; a cough is the louder one, and no clip is quite like another."""
  rng = np.random.default_rng(num_clips)
  labels = ['Cough', 'Tom', 'Snare_drum']
  return [
    (
      f'{part}{i}.wav',
      labels[i % 3],
      (0.8 if i % 3 == 0 else 0.4) * rng.uniform(-rng.uniform(), rng.uniform(), 800),
    )
    for i in range(num_clips)
  ]


def _write_pictures(folder):
  rng = np.random.default_rng(0)
  for part, num_pictures in (('train', 150), ('test', 45)):
    y = np.arange(num_pictures) % 3
    x = rng.integers(0, 80, [num_pictures, 4, 4, 3]) + 80 * y[:, None, None, None]
    np.savez(folder / f'{part}.npz', x=x.astype(np.uint8), y=y)


def setUpModule():
  in_process.set_up_module()


class CgauTutorialTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.text = _TUTORIAL.read_text(encoding='utf-8')
    cls.sections = _sections(cls.text)
    cls.embedded = {}
    cls.given = pathlib.Path(testing.class_folder(cls))
    for name in ('data/fsd', 'data/pictures', 'models'):
      (cls.given / name).mkdir(parents=True)
    clips = {part: _clips(part, num_clips) for part, num_clips in (('train', 150), ('test', 45))}
    testing.write_clips(str(cls.given / 'data' / 'fsd'), clips)
    _write_pictures(cls.given / 'data' / 'pictures')
    testing.save_network(testing.AudioNetwork(), str(cls.given / 'models' / 'yamnet'))
    testing.save_network(testing.ImageNetwork(), str(cls.given / 'models' / 'pictures'))

  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)
    # What the reader has: the flag files of the repository, data, networks.
    (self.folder / 'pipelines').mkdir()
    (self.folder / 'pipelines' / 'configs').symlink_to((_ROOT / 'pipelines' / 'configs').resolve())
    for name in ('data', 'models'):
      (self.folder / name).symlink_to(self.given / name)

  def _run(self, command):
    program, *arguments = shlex.split(command)
    self.assertEqual(program, 'python')
    if arguments[1] == 'pipelines.sweep':  # Whose trials then share what is built.
      with contextlib.chdir(self.folder):
        return in_process.run(sweep, *arguments[2:])
    return processes.run_python(*arguments, folder=self.folder)

  def _run_sections(self, headings):
    """Runs their commands; what these print, if they write what the sections say."""
    outputs = []
    for heading in headings:
      if heading in self.embedded:  # By another test.
        shutil.copytree(self.given / 'runs', self.folder / 'runs')
        outputs.append(self.embedded[heading])
        continue
      for command in _commands(self.sections[heading], 'bash'):
        added = [flags for start, flags in _FEW_ROUNDS if command.startswith(start)]
        result = self._run(' '.join([command, *added]))
        self.assertEqual(result.returncode, 0, f'{command}\n{result.stderr}')
        outputs.append(result.stdout)
      for path in _paths(self.sections[heading]):
        self.assertTrue((self.folder / path).exists(), f'{path} is in {heading}, but not written.')
      if heading == _EMBED:
        shutil.copytree(self.folder / 'runs', self.given / 'runs')
        (self.embedded[heading],) = outputs
    return outputs

  def test_sound(self):
    embedded, simulated, dense, local, summary = self._run_sections(_SOUND)
    self.assertStartsWith(embedded, '195 examples x 4: 195 embedded now')
    self.assertIn('0 skipped', embedded)
    self.assertRegex(simulated, r'mean Frechet distance(.*\n)+ +0 .*\n +0\.5 .*\n +1 ')
    for trained in (dense, local):
      self.assertIn('LG-FedAvg − Local only', trained)
    for metric in re.findall(r'`([a-z_]+_test/[^`\s]+)`', self.text):
      self.assertIn(f'"{metric}": ', summary)

    split = (self.folder / 'runs/cgau/cgau_local/model_split.txt').read_text(encoding='utf-8')
    sides = dict(line.split()[:2] for line in split.splitlines()[1:] if '/' in line)
    for weight, side in sides.items():
      self.assertEqual(side, 'local' if weight.startswith('shift_') else 'global', weight)

  def test_sweep(self):
    _, swept = self._run_sections(_SWEEP)
    for model in ('dense', 'cgau_shared'):
      self.assertLen(re.findall(rf'^{model} .* ± .* 2$', swept, re.MULTILINE), 2)

  def test_images_and_xor(self):
    pictures, _, xor = self._run_sections(_OTHERS)
    self.assertStartsWith(pictures, '195 examples x 5: 195 embedded now')
    self.assertIn('CGAU, one unit', xor)

  def test_no_command_and_no_path_is_left_out(self):
    tested = {heading: self.sections[heading] for heading in (*_SOUND, *_SWEEP, *_OTHERS)}
    commands = [command for text in tested.values() for command in _commands(text, 'bash')]
    self.assertLen(commands, 9)
    self.assertEqual(commands, _commands(self.text, 'bash'))
    paths = [path for text in tested.values() for path in _paths(text)]
    self.assertGreater(len(paths), 10)
    self.assertEqual(paths, _paths(self.text))

  def test_flags_of_commands_that_are_not_run(self):
    commands = _commands(self.text, 'console')
    self.assertNotEmpty(commands)
    for command in commands:
      # An unknown flag stops a command; of several the first is named.
      result = self._run(f'{command} --stop_here')
      self.assertEqual(result.returncode, 1, command)
      self.assertIn("Unknown command line flag 'stop_here'", result.stderr, command)

  def test_all_code_is_marked(self):
    fences = re.findall(r'^```(.*)$', self.text, re.MULTILINE)
    self.assertContainsSubset(fences[::2], ['bash', 'console'])
    self.assertSameElements(fences[1::2], [''])


if __name__ == '__main__':
  absltest.main()
