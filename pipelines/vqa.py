r"""Questions about pictures: after how many rounds do FedAvg and LG-FedAvg reach an accuracy?

  python -m pipelines.vqa --sweep_dir=runs/vqa
  python -m pipelines.vqa --sweep_dir=runs/vqa_fast --fast
  python -m pipelines.vqa --sweep_dir=runs/vqa_v2 --data_dir=vqa --embeddings=pictures.npz

Trains a network of two channels on 50 devices by FedAvg and by LG-FedAvg. The latter has 32 rounds
of FedAvg and 17 in which pictures and questions are encoded locally. Prints the rounds and
parameters that each needed to reach 40 % of the official VQA accuracy. Writes results.csv,
table.md and a figure. Rerun the same command to resume.

--data_dir has the official files of VQA v2, questions and annotations of train2014 and val2014.
--embeddings has the features of their pictures, made once by

  python -m pipelines.embed --preset=inception_v3 --source=files --data_dir=coco \
    --output=pictures.npz

Without both, synthetic pictures of coloured shapes are generated.

It is `pipelines.sweep` with other defaults, and also takes the flags of `pipelines.train`. The
exceptions are --method, --rounds and --warm_start_rounds, which the grid of both methods decides.
For other values give a --grid of your own.

Liang et al. 2020, Table 2.
"""

import os
from collections.abc import Sequence

from absl import flags

from pipelines import launch, preset_sweep, sweep, train
from tff_lg import metric_names

# Short names of folders, where a sweep is run from the root.
_CONFIGS = os.path.relpath(os.path.join(os.path.dirname(__file__), 'configs'))
_METHODS = ('vqa_fedavg', 'vqa_lg_fedavg')
_GOAL = '0.4'
_DEFAULTS = {
  'flagfile_of_trials': os.path.join(_CONFIGS, 'vqa.flags'),
  'grid': [f'flagfile={",".join(os.path.join(_CONFIGS, f"{name}.flags") for name in _METHODS)}'],
  'metric': metric_names.pooled_test('accuracy'),
}

for _module in (sweep, train):
  flags.adopt_module_key_flags(_module)


def _check_data(data_dir: str) -> None:
  from tff_lg import embeddings
  from tff_lg.data import vqa_files

  if flags.FLAGS.embeddings is None:
    return  # The trials' flags are refused.
  for part in ('train', 'test'):
    vqa_files.find_files(data_dir, part)
  embeddings.EmbeddingSet.load(flags.FLAGS.embeddings)


def main(argv: Sequence[str]) -> None:
  """Runs the sweep, with the training flags that the user gave in all trials, and its table."""
  preset_sweep.run(_DEFAULTS, argv, _check_data)

  from tff_lg import analysis  # pandas takes seconds to import.

  for goal in flags.FLAGS.goal_accuracy or [_GOAL]:
    print(f'\n{analysis.to_text(analysis.goal_table(flags.FLAGS.sweep_dir, float(goal)))}')


if __name__ == '__main__':
  launch.run(main, after_stop='rerun the same command to resume', takes_arguments=True)
