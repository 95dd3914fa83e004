"""Choice of models on test data: Liang et al. 2020 with the rule of the reference code."""

from tff_lg import metric_names
from tff_lg.published.read import from_summary
from tff_lg.published.table import Figure, Run, TableEntry, register

_LOCAL = metric_names.mean(metric_names.LOCAL_ACCURACY)
_RULES = {
  'validation': ('chosen on validation data', ()),
  'test': ('chosen on test data', ('--optimistic_choice_on_test_data',)),
  'reference': ('all of --protocol=reference', ('--protocol=reference',)),
}
# Methods with their published local test and its spread.
_METHODS = {
  'local_only': ('Local learning, same cohorts', 87.93, 2.14),
  'mtl': ('MTL', 89.68, 0.75),
  'lg_1800': ('LG-FedAvg, 1800 + 100 rounds', 91.77, 0.56),
}

register(
  TableEntry(
    name='cifar10_choice',
    label='CIFAR-10, two classes per device: choice of models on validation and on test data',
    paper='Liang et al. 2020, Tables 1 and 8',
    data='the folder with the python batches of CIFAR-10',
    cpu_minutes=260,
    runs=tuple(
      Run(
        name=f'{method}_{rule}',
        flags=(
          '--flagfile={configs}/cifar10_classes.flags',
          f'--flagfile={{configs}}/cifar10_classes_{method}.flags',
          '--classes_per_client=2',
          *flags,
        ),
      )
      for method in _METHODS
      for rule, (_, flags) in _RULES.items()
    ),
    figures=tuple(
      Figure(
        row=row,
        column=f'local test, {column}',
        read=from_summary(f'{method}_{rule}', _LOCAL),
        published=published if rule == 'reference' else None,
        spread=spread if rule == 'reference' else 0.0,
      )
      for method, (row, published, spread) in _METHODS.items()
      for rule, (column, _) in _RULES.items()
    ),
    note='Figures of models that were chosen on test data are optimistic. They are here to explain '
    'published ones.',
  )
)
