"""Settings of fine-tuning and distillation, Yu et al. 2020 (arXiv:2002.04758)."""

import itertools
from typing import NamedTuple

from tff_lg import metric_names
from tff_lg.published.read import from_summary
from tff_lg.published.table import CIFAR10_FILES, Figure, Run, TableEntry, register
from tff_lg.published.table_of_adaptation import CIFAR10_TRAINING

_SOURCE = 'basic'
_METRIC = metric_names.PARTICIPANT_ACCURACY
_GAIN = metric_names.gain_over(metric_names.FEDERATED, _METRIC)
_RATES = (0.0005, 0.0015, 0.005, 0.015, 0.05)
_RATES_OF_DISTILLATION = (0.005, 0.015, 0.05, 0.15)
# The labels' term has the factor alpha K^2, about 34.
_RATES_OF_EQUATION_6 = (0.000015, 0.00005, 0.00015, 0.0005)
_ALPHAS = (0.3, 0.65, 0.95)
_TEMPERATURES = (2, 6, 18)


class _Setting(NamedTuple):
  """A row: a technique with one setting.

  Attributes:
    run: its name.
    technique: of adaptation.
    flags: its setting.
  """

  run: str
  technique: str
  flags: tuple[str, ...]


def _tuned(rate: float) -> str:
  return f'Fine-tuning, rate {rate:g}'


def _taught(alpha: float, temperature: float) -> str:
  return f'Distillation, alpha = {alpha:g}, K = {temperature:g}'


def _distillation(
  name: str, alpha: float, temperature: float, rates: tuple[float, ...], *flags: str
) -> _Setting:
  return _Setting(
    name,
    'distillation',
    (
      f'--distillation_alpha={alpha:g}',
      f'--distillation_temperature={temperature:g}',
      f'--distillation_learning_rate={",".join(f"{rate:g}" for rate in rates)}',
      *flags,
    ),
  )


_AS_IN_CODE = _taught(0.95, 6)
_SETTINGS = {
  **{
    _tuned(rate): _Setting(f'fine_tune_{i}', 'fine_tune', (f'--learning_rate={rate:g}',))
    for i, rate in enumerate(_RATES)
  },
  **{
    _taught(alpha, temperature): _distillation(
      f'distillation_{100 * alpha:g}_{temperature:g}', alpha, temperature, _RATES_OF_DISTILLATION
    )
    for alpha, temperature in itertools.product(_ALPHAS, _TEMPERATURES)
  },
  f'{_AS_IN_CODE}, equation 6': _distillation(
    'equation_6', 0.95, 6, _RATES_OF_EQUATION_6, '--distillation_scaled_term=labels'
  ),
}

register(
  TableEntry(
    name='cifar10_adaptation_grid',
    label='Fine-tuning by learning rate and distillation by alpha and K on CIFAR-10, LeNet-5',
    paper='Yu et al. 2020, hyperparameters of adaptation, without figures for images',
    data=CIFAR10_FILES,
    cpu_minutes=50,
    unit='Percent of test examples',
    runs=(
      Run(name=_SOURCE, flags=CIFAR10_TRAINING),
      *(
        Run(
          name=setting.run,
          pipeline='adapt',
          flags=(
            f'--from_run={{run:{_SOURCE}}}',
            f'--adaptation={setting.technique}',
            '--choose=global',
            '--epochs=10',
            '--evaluate_every_epochs=5',
            *setting.flags,
          ),
        )
        for setting in _SETTINGS.values()
      ),
    ),
    figures=tuple(
      Figure(
        row=row,
        column=column,
        read=from_summary(setting.run, metric_names.mean(f'{setting.technique}/{metric}')),
      )
      for row, setting in _SETTINGS.items()
      for column, metric in (('accuracy', _METRIC), ('gain, points', _GAIN))
    ),
    contrasts=tuple(
      (row, _AS_IN_CODE)
      for row, setting in _SETTINGS.items()
      if row == _tuned(0.005) or (setting.technique == 'distillation' and row != _AS_IN_CODE)
    ),
    note="Validation data of all clients choose epoch 0, 5 or 10, and distillation's learning "
    "rate, for all clients together. The authors' code has alpha = 0.95 and K = 6.",
  )
)
