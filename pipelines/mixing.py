"""Mixtures of two models that two clients trained apart: does averaging them help?

  python -m pipelines.mixing --run_dir=runs/mixing
  python -m pipelines.mixing --run_dir=runs/mixing_mnist --data_dir=mnist

Two clients with different examples train 20 epochs each, from the same initial weights and from
different ones. Writes figures/mixing.png, the loss over all training examples by the mixing weight,
mixing.csv and summary.json. Without --data_dir the data are the embedded digits, 200 examples per
client; with MNIST each has 600. McMahan et al. 2017, Figure 1.
"""

import os
from typing import Any

from absl import flags

from pipelines import launch, path_flags, run_dirs, runtime_flags
from tff_lg import file_names, files, progress, strict_json

flags.adopt_module_key_flags(runtime_flags)

_RUN_DIR = path_flags.define('run_dir', None, 'Folder of this run, created if needed.')
_DATA_DIR = path_flags.define(
  'data_dir', None, 'Folder with the files of MNIST; digits by default.'
)
_EPOCHS = flags.DEFINE_integer('epochs', 20, 'Epochs of each client.', lower_bound=1)
_LEARNING_RATE = flags.DEFINE_float('learning_rate', 0.1, 'Learning rate of SGD.', lower_bound=0)
_NUM_POINTS = flags.DEFINE_integer(
  'num_points', 50, 'Number of mixing weights from -0.2 to 1.2.', lower_bound=2
)
_SEED = flags.DEFINE_integer('seed', 0, 'Seed of everything random.', lower_bound=0)


def main() -> None:
  """Checks the flags, then trains, mixes, draws and writes."""
  run_dir = launch.given(_RUN_DIR, 'a folder for this run')
  runtime = runtime_flags.read()
  settings: dict[str, Any] = {
    flag.name: flag.value for flag in (_DATA_DIR, _EPOCHS, _LEARNING_RATE, _NUM_POINTS, _SEED)
  }
  flag_lines = run_dirs.flag_lines(settings)
  run_dirs.check_folder(run_dir, flag_lines)

  # TensorFlow takes seconds to import: only once the flags are known to be good.
  with progress.stage('importing TensorFlow'):
    from tff_lg import simulation
    from tff_lg.analysis import style
    from tff_lg.analysis.figures import mixing as figures
    from tff_lg.experiments import mixing

  simulation.set_execution_context(runtime)
  result = mixing.run_mixing(mixing.MixingConfig(**settings))
  figure = figures.loss_over_mixing_weight(result.thetas, result.losses, result.alone)
  figure_path = os.path.join(run_dir, file_names.FIGURES, 'mixing.png')
  rows = zip(result.thetas, *(result.losses[start] for start in mixing.STARTS), strict=True)
  lines = [','.join(('theta', *mixing.STARTS)), *(','.join(map(repr, map(float, r))) for r in rows)]
  contents: dict[str, str | bytes] = {
    os.path.join(run_dir, file_names.FLAGS): flag_lines,
    figure_path: style.png_bytes(figure),
    os.path.join(run_dir, 'mixing.csv'): '\n'.join(lines) + '\n',
    os.path.join(run_dir, file_names.SUMMARY): strict_json.dumps(result.summary()),
  }
  for path, content in contents.items():
    files.write_atomically(path, content)
  print(result.as_text())
  print(f'Figure: {os.path.abspath(figure_path)}')


if __name__ == '__main__':
  launch.run(main)
