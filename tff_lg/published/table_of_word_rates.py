"""FedAvg on words by clients' learning rate, Yu et al. 2020 (arXiv:2002.04758)."""

from tff_lg import metric_names
from tff_lg.published.read import from_summary
from tff_lg.published.table import SHAKESPEARE_ROLES, Figure, Run, TableEntry, register
from tff_lg.published.table_of_adaptation import WORDS_TRAINING

# The rate -> the paper's accuracy in percent, of its lowest and of its best rate.
_RATES = {0.1: 9.07, 1: None, 5: None, 20: None, 40: 19.29, 80: None}
_ROUNDS = 50


def _name(rate: float) -> str:
  return f'rate_{rate:g}'.replace('.', '_')


register(
  TableEntry(
    name='shakespeare_rates',
    label="FedAvg on words of Shakespeare's roles by clients' learning rate",
    paper='Yu et al. 2020, hyperparameters of words, on Reddit',
    data=SHAKESPEARE_ROLES,
    cpu_minutes=37,
    runs=tuple(
      Run(
        name=_name(rate),
        flags=(
          *WORDS_TRAINING,
          *('--client_weighting=uniform', '--cohort_sampling=fixed_size', f'--rounds={_ROUNDS}'),
          *('--client_momentum=0', '--client_gradient_clip_norm=0.25'),
          f'--client_learning_rate={rate:g}',
        ),
      )
      for rate in _RATES
    ),
    figures=tuple(
      Figure(
        row=f'rate {rate:g}',
        column='local test',
        read=from_summary(_name(rate), metric_names.mean(metric_names.LOCAL_ACCURACY)),
        published=accuracy,
      )
      for rate, accuracy in _RATES.items()
    ),
    note=f'The norm of gradients is clipped to 0.25, as published. Runs have {_ROUNDS} rounds; '
    'the paper has 5,000, and other text.',
  )
)
