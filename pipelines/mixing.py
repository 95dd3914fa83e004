"""Mixtures of two models that two clients trained apart: does averaging them help?

  python -m pipelines.mixing --run_dir=runs/mixing
  python -m pipelines.mixing --run_dir=runs/mixing_mnist --data_dir=mnist

Two clients with different examples train 20 epochs each, from the same initial weights and from
different ones. Writes figures/mixing.png, the loss over all training examples by the mixing weight,
mixing.csv and summary.json. Without --data_dir the data are the embedded digits, 200 examples per
client; with MNIST each has 600. McMahan et al. 2017, Figure 1; `python -m pipelines.reproduce
mnist_mixing` repeats it for five seeds.
"""

import os

from absl import flags

from pipelines import config_flags, launch, mixing_run, path_flags, run_dirs, runtime_flags
from tff_lg.experiments.mixing_config import MixingConfig

_RUN_DIR = path_flags.define('run_dir', None, 'Folder of this run, created if needed.')
_CONFIG = config_flags.define(
  config_class=MixingConfig, fast_help='Two epochs and eight mixing weights, in seconds.'
)
flags.adopt_module_key_flags(runtime_flags)


def main() -> None:
  """Checks the flags, then trains, mixes, draws and writes."""
  config, runtime = mixing_run.read(_CONFIG), runtime_flags.read()
  run_dir = launch.given(_RUN_DIR, 'a folder for this run')
  run_dirs.check_folder(run_dir, mixing_run.flag_lines(config))
  mixing_run.look_at_data(config)
  print(mixing_run.run(config, run_dir, runtime).as_text())
  print(f'Figure: {os.path.abspath(os.path.join(run_dir, mixing_run.FIGURE))}')


if __name__ == '__main__':
  launch.run(main)
