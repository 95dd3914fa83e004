"""XOR with two clients: one conditional gated unit against an MLP with two hidden units.

  python -m pipelines.xor --run_dir=runs/xor

Trains both by federated averaging and writes figures/xor.png, eight panels that show
what they learned, and summary.json. Rieger et al. 2020, appendix.
"""

import os
from typing import Any

from absl import flags

from pipelines import launch, path_flags, run_dirs, runtime_flags
from tff_lg import file_names, files, progress, strict_json

flags.adopt_module_key_flags(runtime_flags)

_RUN_DIR = path_flags.define('run_dir', None, 'Folder of this run, created if needed.')
_CONDITIONING = flags.DEFINE_enum(
  'conditioning',
  'shared',
  ('shared', 'local'),
  "Where the clients' shifts are: in the global model (shared), or each with its client (local).",
)
_ROUNDS = flags.DEFINE_integer('rounds', 100, 'Rounds, both clients in each.', lower_bound=1)
_INITIALISATIONS = flags.DEFINE_integer(
  'initialisations',
  12,
  'Initial weights tried for each model; those with the least training loss are kept.',
  lower_bound=1,
)
_NOISE = flags.DEFINE_float(
  'noise', 0.25, "Standard deviation around a group's centre, cut off at 0.9.", lower_bound=0
)
_SEED = flags.DEFINE_integer('seed', 0, 'Seed of everything random.', lower_bound=0)


def main() -> None:
  """Checks the flags, then trains, draws and writes."""
  run_dir = launch.given(_RUN_DIR, 'a folder for this run')
  runtime = runtime_flags.read()
  settings: dict[str, Any] = {
    'conditioning': _CONDITIONING.value,
    'rounds': _ROUNDS.value,
    'initialisations': _INITIALISATIONS.value,
    'noise': _NOISE.value,
    'seed': _SEED.value,
  }
  flag_lines = run_dirs.flag_lines(settings)
  run_dirs.check_folder(run_dir, flag_lines)

  # TensorFlow takes seconds to import: only once the flags are known to be good.
  with progress.stage('importing TensorFlow'):
    from tff_lg import simulation
    from tff_lg.analysis import style
    from tff_lg.analysis.figures import xor as figures
    from tff_lg.experiments import xor

  simulation.set_execution_context(runtime)
  result = xor.run_xor(xor.XorConfig(**settings))
  chosen = {name: tried[0] for name, tried in result.trained.items()}
  figure = figures.xor_panels(
    [(data.x, data.y) for data in result.train], chosen['mlp'].weights[0], chosen['cgau'].weights
  )
  figure_path = os.path.join(run_dir, file_names.FIGURES, 'xor.png')
  contents: dict[str, str | bytes] = {
    os.path.join(run_dir, file_names.FLAGS): flag_lines,
    figure_path: style.png_bytes(figure),
    os.path.join(run_dir, file_names.SUMMARY): strict_json.dumps(result.summary()),
  }
  for path, content in contents.items():
    files.write_atomically(path, content)
  print(result.as_text())
  print(f'Figure: {os.path.abspath(figure_path)}')


if __name__ == '__main__':
  launch.run(main)
