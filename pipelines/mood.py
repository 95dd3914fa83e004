r"""Mood from typed text: which share of the layers should be local?

  python -m pipelines.mood --sweep_dir=runs/mood --data_dir=mood.csv
  python -m pipelines.mood --sweep_dir=runs/mood_fast --fast

Trains a Bi-LSTM by LG-FedAvg for each share alpha of local layers and each of ten seeds. At 0, all
is sent as in FedAvg; at 1, each user learns alone. Seeds determine the split, the sampling and the
initial weights. Writes results.csv, table.md and a figure of the accuracy over alpha with error
bars. Rerun the same command to resume.

For other shares give --grid=local_layer_share=..., not --local_layer_share.

mood.csv has the columns user, text and score. Without --data_dir a small synthetic corpus is
generated. The mood of its words differs between users, by --device_variance.

It is `pipelines.sweep` with other defaults, and also takes the flags of `pipelines.train`. The
first command is the same as

  python -m pipelines.sweep --sweep_dir=runs/mood --metric=pooled_test/accuracy \
    --flagfile_of_trials=pipelines/configs/mood.flags \
    --grid=local_layer_share=0,0.2,0.4,0.6,0.8,1 --seeds=0-9 -- --data_dir=mood.csv

Liang et al. 2020, mood prediction.
"""

import os
from collections.abc import Sequence

from absl import flags

from pipelines import launch, preset_sweep, sweep, train
from tff_lg import metric_names

_DEFAULTS = {
  'flagfile_of_trials': os.path.join(os.path.dirname(__file__), 'configs', 'mood.flags'),
  'grid': ['local_layer_share=0,0.2,0.4,0.6,0.8,1'],
  'seeds': '0-9',
  'metric': metric_names.pooled_test('accuracy'),
}
_FAST = {'grid': ['local_layer_share=0,0.4,1'], 'seeds': '0-1'}

for _module in (sweep, train):
  flags.adopt_module_key_flags(_module)


def _check_data(data_dir: str) -> None:
  from tff_lg.data import mood_files  # pandas takes a second to import.

  mood_files.read_scored_texts(data_dir)


def main(argv: Sequence[str]) -> None:
  """Runs the sweep, with the training flags that the user gave in all trials."""
  preset_sweep.run(_DEFAULTS | (_FAST if flags.FLAGS.fast else {}), argv, _check_data)


if __name__ == '__main__':
  launch.run(main, after_stop='rerun the same command to resume', takes_arguments=True)
