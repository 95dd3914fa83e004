"""Malicious clients against aggregation rules on MNIST, one table of ours."""

from tff_lg import metric_names
from tff_lg.published.read import from_summary
from tff_lg.published.table import Figure, Run, TableEntry, register

_ACCURACY = metric_names.mean(metric_names.LOCAL_ACCURACY)
_HONEST_ACCURACY = metric_names.honest(_ACCURACY)
_AGGREGATORS = (
  *('mean', 'norm_bounded_mean', 'median'),
  *('trimmed_mean', 'multi_krum', 'geometric_median'),
)
_BACKDOOR = '--attack=backdoor'
_ATTACKS = {
  'label_flip': ('--attack=label_flip',),
  'sign_flip': ('--attack=sign_flip',),
  'gaussian_noise': ('--attack=gaussian_noise',),
  'little_is_enough': ('--attack=little_is_enough', '--attack_strength=1.5'),
  'backdoor': (_BACKDOOR,),
}
_PERCENT = (10, 20)
# Rows -> their runs' flags.
_ROWS = {
  'without attack': (),
  **{
    f'{attack}, {percent} %': (*flags, f'--malicious_share={percent / 100}')
    for attack, flags in _ATTACKS.items()
    for percent in _PERCENT
  },
}


def _name(aggregator: str, row: str) -> str:
  return f'{aggregator}_{row.removesuffix(" %").replace(", ", "_").replace(" ", "_")}'


register(
  TableEntry(
    name='mnist_attacks',
    label="Honest clients' accuracy on MNIST by attack and aggregator",
    data='the folder with the four idx files of MNIST',
    cpu_minutes=24,
    unit='Percent',
    runs=tuple(
      Run(
        name=_name(aggregator, row),
        flags=('--flagfile={configs}/mnist_attacks.flags', f'--aggregator={aggregator}', *flags),
      )
      for row, flags in _ROWS.items()
      for aggregator in _AGGREGATORS
    ),
    figures=(
      *(
        Figure(
          row=row,
          column=aggregator,
          read=from_summary(_name(aggregator, row), _HONEST_ACCURACY if flags else _ACCURACY),
        )
        for row, flags in _ROWS.items()
        for aggregator in _AGGREGATORS
      ),
      *(
        Figure(
          row=row.replace('backdoor', 'backdoor success'),
          column=aggregator,
          read=from_summary(_name(aggregator, row), metric_names.BACKDOOR_SUCCESS),
          digits=1,
        )
        for row, flags in _ROWS.items()
        if _BACKDOOR in flags
        for aggregator in _AGGREGATORS
      ),
    ),
    note='*Backdoor success* is the share of triggered images that are classified as the target, '
    'class 0. IID over 100 clients, 20 rounds of 20 clients each.',
  )
)
