"""FedAvg on words by clients' learning rate, Yu et al. 2020 (arXiv:2002.04758)."""

from tff_lg import metric_names
from tff_lg.published.read import from_summary
from tff_lg.published.table import SHAKESPEARE_ROLES, Figure, Run, TableEntry, register
from tff_lg.published.table_of_adaptation import WORDS_TRAINING

# The rate -> the paper's accuracy in percent, of its lowest and of its best rate.
RATES = {0.1: 9.07, 1: None, 5: None, 20: None, 40: 19.29, 80: None}
TABLE = 'shakespeare_rates'
LOCAL_TEST = 'local test'
_ROUNDS = 50


def name_row(rate: float) -> str:
  """Returns the row of a learning rate."""
  return f'rate {rate:g}'


def _name(rate: float) -> str:
  return f'rate_{rate:g}'.replace('.', '_')


register(
  TableEntry(
    name=TABLE,
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
      for rate in RATES
    ),
    figures=tuple(
      Figure(
        row=name_row(rate),
        column=LOCAL_TEST,
        read=from_summary(_name(rate), metric_names.mean(metric_names.LOCAL_ACCURACY)),
        published=accuracy,
      )
      for rate, accuracy in RATES.items()
    ),
    note=f'The norm of gradients is clipped to 0.25, as published. Runs have {_ROUNDS} rounds; '
    'the paper has 5,000, and other text.',
  )
)
