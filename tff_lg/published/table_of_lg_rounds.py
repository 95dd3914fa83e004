"""LG-FedAvg by rounds of its warm start, Liang et al. 2020 (arXiv:2001.01523), Tables 6 and 8."""

from collections.abc import Sequence

from tff_lg.published.table import (
  CIFAR10_FILES,
  MNIST_FILES,
  NOT_KNOWN,
  Figure,
  Run,
  TableEntry,
  register,
)
from tff_lg.published.table_of_lg_fedavg import fedavg_figures, lg_fedavg_figures

# Between those of tables `mnist_lg` and `cifar10_lg`.
MNIST_ROUNDS, CIFAR10_ROUNDS = (500, 600, 700), (1000, 1400, 1600)
FEDAVG, LG_FEDAVG = 'FedAvg, {} rounds', 'LG-FedAvg, {} + 100 rounds'
# The run of the rounds of FedAvg that all have in common.
_SHARED = 'fedavg'
_UNKNOWN = (NOT_KNOWN, NOT_KNOWN)


def _figures(rounds: int, ensemble: str) -> tuple[Figure, ...]:
  run = f'lg_{rounds}'
  return (
    *fedavg_figures(run, FEDAVG.format(rounds), *_UNKNOWN),
    *lg_fedavg_figures(run, LG_FEDAVG.format(rounds), ensemble, _UNKNOWN, _UNKNOWN, NOT_KNOWN),
  )


def _register(
  data: str,
  label: str,
  *,
  place: str,
  folder: str,
  flags: str,
  rounds: Sequence[int],
  ensemble: str,
  cpu_minutes: float,
) -> None:
  clients = (f'--flagfile={{configs}}/{data}_classes.flags', '--classes_per_client=2')
  register(
    TableEntry(
      name=f'{data}_lg_rounds',
      label=f"LG-FedAvg on {label} by rounds of FedAvg's warm start",
      paper=f'Liang et al. 2020, {place}',
      data=folder,
      cpu_minutes=cpu_minutes,
      runs=(
        Run(
          name=_SHARED,
          flags=(
            *clients,
            f'--flagfile={{configs}}/{data}_classes_fedavg.flags',
            f'--rounds={min(rounds)}',
          ),
        ),
        *(
          Run(
            name=f'lg_{number}',
            flags=(
              *clients,
              f'--flagfile={{configs}}/{flags}',
              f'--warm_start_rounds={number}',
              f'--warm_start_from={{run:{_SHARED}}}',
              '--data_dir={data}',
            ),
          )
          for number in rounds
        ),
      ),
      figures=tuple(figure for number in rounds for figure in _figures(number, ensemble)),
      contrasts=tuple((LG_FEDAVG.format(number), FEDAVG.format(number)) for number in rounds),
      note=f'Devices have two classes each. Table `{data}_lg` has the other rounds. Our copy of '
      'the paper does not show its figures of these rounds.',
    )
  )


_register(
  'mnist',
  'MNIST',
  place='Table 6',
  folder=MNIST_FILES,
  flags='mnist_classes_lg_400.flags',
  rounds=MNIST_ROUNDS,
  ensemble='ensemble_probability',
  cpu_minutes=6,
)
_register(
  'cifar10',
  'CIFAR-10',
  place='Table 8',
  folder=CIFAR10_FILES,
  flags='cifar10_classes_lg_1200.flags',
  rounds=CIFAR10_ROUNDS,
  ensemble='ensemble_log_probability',
  cpu_minutes=33,
)
