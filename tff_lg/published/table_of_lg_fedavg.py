"""Tables of Liang et al. 2020, Think Locally, Act Globally (arXiv:2001.01523)."""

from tff_lg import metric_names
from tff_lg.published.read import from_best_round, from_summary
from tff_lg.published.table import CIFAR10_FILES, MNIST_FILES, Figure, Run, TableEntry, register

_LOCAL = metric_names.mean(metric_names.LOCAL_ACCURACY)
_AVERAGE = metric_names.new_test('accuracy', 'weight_average')
LOCAL_TEST = 'local test'
NEW_TEST, _SENT = 'new test', 'parameters, 1e9'
ALONE = 'Local learning, same cohorts'
_PARAMETERS = metric_names.PARAMETERS_TO_ALL


def fedavg_figures(run: str, row: str, published: float, spread: float) -> tuple[Figure, ...]:
  """Returns the warm start's best round, whose global model is also that of unseen clients."""
  read = from_best_round(run, 'fedavg', _LOCAL)
  return (Figure(row=row, column=LOCAL_TEST, read=read, published=published, spread=spread),)


def lg_fedavg_figures(
  run: str,
  row: str,
  ensemble: str,
  local: tuple[float, float],
  new: tuple[float, float],
  parameters: float,
) -> tuple[Figure, ...]:
  """Returns LG-FedAvg's local test, its new test by an ensemble, and what it sends."""
  return (
    Figure(
      row=row,
      column=LOCAL_TEST,
      read=from_summary(run, _LOCAL),
      published=local[0],
      spread=local[1],
    ),
    Figure(
      row=row,
      column=NEW_TEST,
      read=from_summary(run, metric_names.new_test('accuracy', ensemble)),
      published=new[0],
      spread=new[1],
    ),
    Figure(
      row=row,
      column=_SENT,
      read=from_summary(run, _PARAMETERS, 1e-9),
      published=parameters,
      # The paper has two digits.
      spread=0.05 * 10 ** (parameters > 10),
      digits=1,
    ),
  )


register(
  TableEntry(
    name='mnist_lg',
    label='LG-FedAvg on MNIST, two classes per device',
    paper='Liang et al. 2020, Tables 1 and 6',
    data=MNIST_FILES,
    cpu_minutes=30,
    runs=(
      Run(
        name='lg_400',
        flags=('--flagfile={configs}/mnist_lg_fedavg.flags', '--local_budget=cohort'),
      ),
      Run(
        name='lg_800',
        flags=(
          '--flagfile={configs}/mnist_classes.flags',
          '--flagfile={configs}/mnist_classes_lg_800.flags',
          '--classes_per_client=2',
        ),
      ),
    ),
    figures=(
      Figure(
        row=ALONE,
        column=LOCAL_TEST,
        read=from_summary('lg_400', _LOCAL, baseline='local_only'),
        published=98.72,
        spread=0.35,
      ),
      Figure(
        row=ALONE,
        column=NEW_TEST,
        read=from_summary('lg_400', _AVERAGE, baseline='local_only'),
        published=30.41,
        spread=7.88,
      ),
      *fedavg_figures('lg_800', 'FedAvg, 800 rounds', 98.20, 0.05),
      *lg_fedavg_figures(
        'lg_400',
        'LG-FedAvg, 400 + 100 rounds',
        'ensemble_probability',
        (98.77, 0.09),
        (97.72, 0.08),
        29.0,
      ),
      *lg_fedavg_figures(
        'lg_800',
        'LG-FedAvg, 800 + 100 rounds',
        'ensemble_probability',
        (98.54, 0.05),
        (98.17, 0.05),
        57.0,
      ),
    ),
    contrasts=(
      ('LG-FedAvg, 400 + 100 rounds', ALONE),
      ('LG-FedAvg, 800 + 100 rounds', 'FedAvg, 800 rounds'),
    ),
    note="New test of local learning is the accuracy of the mean of all clients' weights, that of "
    'LG-FedAvg is of the mean of their probabilities.',
  )
)

CIFAR10_LG = register(
  TableEntry(
    name='cifar10_lg',
    label='LG-FedAvg on CIFAR-10, two classes per device',
    paper='Liang et al. 2020, Tables 1 and 8',
    data=CIFAR10_FILES,
    cpu_minutes=110,
    runs=(
      *(
        Run(
          name=name,
          flags=(
            '--flagfile={configs}/cifar10_classes.flags',
            f'--flagfile={{configs}}/cifar10_classes_{name}.flags',
            '--classes_per_client=2',
            '--local_budget=cohort',
          ),
        )
        for name in ('local_only', 'mtl', 'lg_1200', 'lg_1800')
      ),
    ),
    figures=(
      *(
        Figure(
          row=row,
          column=column,
          read=from_summary(run, key),
          published=published,
          spread=spread,
        )
        for run, row, column, key, published, spread in (
          ('local_only', ALONE, LOCAL_TEST, _LOCAL, 87.93, 2.14),
          (
            'local_only',
            ALONE,
            NEW_TEST,
            _AVERAGE,
            10.03,
            0.06,
          ),
          ('mtl', 'MTL', LOCAL_TEST, _LOCAL, 89.68, 0.75),
          ('mtl', 'MTL', NEW_TEST, _AVERAGE, 10.06, 0.11),
        )
      ),
      *fedavg_figures('lg_1800', 'FedAvg, 1800 rounds', 58.99, 1.50),
      *lg_fedavg_figures(
        'lg_1200',
        'LG-FedAvg, 1200 + 100 rounds',
        'ensemble_log_probability',
        (91.07, 0.50),
        (57.95, 1.48),
        8.5,
      ),
      *lg_fedavg_figures(
        'lg_1800',
        'LG-FedAvg, 1800 + 100 rounds',
        'ensemble_log_probability',
        (91.77, 0.56),
        (60.79, 1.45),
        12.7,
      ),
    ),
    contrasts=(
      ('LG-FedAvg, 1800 + 100 rounds', ALONE),
      ('LG-FedAvg, 1800 + 100 rounds', 'MTL'),
      ('LG-FedAvg, 1800 + 100 rounds', 'FedAvg, 1800 rounds'),
    ),
    note="New test of local learning and MTL is the accuracy of the mean of all clients' weights. "
    'That of LG-FedAvg is of the mean of their log-probabilities.',
  )
)
