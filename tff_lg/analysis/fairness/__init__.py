"""Leakage of protected attributes by representations and predictions.

Comes in: arrays, what each device's model, adversary and local layers say of its rows.
Goes out: figures by name (`measure`), and tables of them over seeds. The figures are accuracy, AUC,
the adversary's AUC, the probes' AUC and parity of predictions. Probes are fitted afterwards on the
frozen representation. May import: NumPy, pandas, scikit-learn, Fairlearn, the tables of
`tff_lg.analysis`; no other room.
"""

from tff_lg.analysis.fairness.collect import collect
from tff_lg.analysis.fairness.measures import Outputs, measure, measure_round
from tff_lg.analysis.fairness.probes import PROBES, auc, probe_auc
from tff_lg.analysis.fairness.results_table import (
  attributes_table,
  methods_table,
  over_seeds,
  summary,
)

__all__ = [
  'PROBES',
  'Outputs',
  'attributes_table',
  'auc',
  'collect',
  'measure',
  'measure_round',
  'methods_table',
  'over_seeds',
  'probe_auc',
  'summary',
]
