r"""Questions about pictures: after how many rounds do FedAvg and LG-FedAvg reach a goal?

  python -m pipelines.vqa --sweep_dir=runs/vqa
  python -m pipelines.vqa --sweep_dir=runs/vqa_fast --fast
  python -m pipelines.vqa --sweep_dir=runs/vqa_v2 --data_dir=vqa --embeddings=pictures.npz

Trains a network of two channels on 50 devices by FedAvg, and by LG-FedAvg, 32 rounds of FedAvg and
17 in which pictures and questions are encoded locally, and prints the rounds and parameters that
each needed to 40 % of the official VQA accuracy. Writes results.csv, table.md and a figure. The
same command again goes on where it was stopped.

--data_dir has the official files of VQA v2, questions and annotations of train2014 and val2014;
--embeddings the features of their pictures, made once by

  python -m pipelines.embed --preset=inception_v3 --source=files --data_dir=coco \
    --output=pictures.npz

Without both, pictures of coloured shapes are generated: synthetic.

It is `pipelines.sweep` with other defaults, and the flags of `pipelines.train` beside its own.

Liang et al. 2020, Table 2.
"""

import dataclasses
import os
import sys
from collections.abc import Sequence

from absl import flags

from pipelines import launch, sweep, train
from tff_lg import config as config_lib

# Short names of folders, where a sweep is run from the root.
_CONFIGS = os.path.relpath(os.path.join(os.path.dirname(__file__), 'configs'))
_METHODS = ('vqa_fedavg', 'vqa_lg_fedavg')
_GOAL = '0.4'
_DEFAULTS = {
  'flagfile_of_trials': os.path.join(_CONFIGS, 'vqa.flags'),
  'grid': [f'flagfile={",".join(os.path.join(_CONFIGS, f"{name}.flags") for name in _METHODS)}'],
  'metric': 'pooled_test/accuracy',
}
_OF_TRIALS = (*(field.name for field in dataclasses.fields(config_lib.TrainConfig)), 'fast')

for _module in (sweep, train):
  flags.adopt_module_key_flags(_module)


def main(argv: Sequence[str]) -> None:
  """Runs the sweep, with the training flags that the user gave in all trials, and its table."""
  values = flags.FLAGS
  if values['run_dir'].present or values['seed'].present:
    sys.exit('vqa: --run_dir and --seed are of one trial: use --sweep_dir and --seeds.')
  for name, default in _DEFAULTS.items():
    values.set_default(name, default)
  given = [values[name].serialize() for name in _OF_TRIALS if values[name].present]
  sweep.main([argv[0], *given, *argv[1:]])

  from tff_lg import analysis  # pandas takes seconds to import.

  for goal in values.goal_accuracy or [_GOAL]:
    try:
      print(f'\n{analysis.to_text(analysis.goal_table(values.sweep_dir, float(goal)))}')
    except analysis.RunFolderError as error:
      sys.exit(f'vqa: {error}')


if __name__ == '__main__':
  launch.run(main)
