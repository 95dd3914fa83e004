"""When is a mixture of local and global model best: formulas, simulation, estimators.

A device's own model suffers from its few data (data variance), the mean of all devices'
models from the devices being different (device variance). The best mixture follows from the two
variances alone. Comes in: settings of linear devices, or arrays of models that clients trained.
Goes out: `closed_form` errors and the best weight of the local model, and `experiment` results
that show the formula beside simulated devices. `estimators` estimates both variances of linear
devices without the truth, `tff_lg.heterogeneity` those of any model. May import: that room,
NumPy, SciPy, pandas, the tables of `tff_lg.analysis`.

Liang et al. 2020, theoretical analysis.
"""

from tff_lg.analysis.theory.closed_form import interpolation_error, linear_variances
from tff_lg.analysis.theory.estimators import LinearFit, fit_linear
from tff_lg.analysis.theory.experiment import LinearExperiment, LinearResult, run_linear
from tff_lg.analysis.theory.results_table import results_table
from tff_lg.analysis.theory.simulate import LinearSettings
from tff_lg.heterogeneity import Variances, best_alpha, estimate_from_halves

__all__ = [
  'LinearExperiment',
  'LinearFit',
  'LinearResult',
  'LinearSettings',
  'Variances',
  'best_alpha',
  'estimate_from_halves',
  'fit_linear',
  'interpolation_error',
  'linear_variances',
  'results_table',
  'run_linear',
]
