"""Figures of a run and of its data: each a function from data to a Matplotlib `Figure`.

They draw in the palette of `tff_lg.analysis.style`, label both axes with units and
leave out what the data lack. Nothing here writes a file.
"""

from tff_lg.analysis.figures.adaptation_gain import adaptation_gain
from tff_lg.analysis.figures.clients import client_scatter
from tff_lg.analysis.figures.clients_map import clients_map
from tff_lg.analysis.figures.communication import accuracy_against_bytes
from tff_lg.analysis.figures.cumulative_gain import cumulative_gain
from tff_lg.analysis.figures.curves import training_curves
from tff_lg.analysis.figures.forgetting import forgetting_curves
from tff_lg.analysis.figures.gain_by_data import gain_by_data
from tff_lg.analysis.figures.heat_map import sweep_heat_map
from tff_lg.analysis.figures.heterogeneity import distance_by_share
from tff_lg.analysis.figures.improvement import improvement_bars
from tff_lg.analysis.figures.labels import label_distribution
from tff_lg.analysis.figures.privacy import accuracy_by_epsilon, epsilon_curve
from tff_lg.analysis.figures.sweep import sweep_error_bars
from tff_lg.analysis.figures.validation_curves import validation_curves
from tff_lg.analysis.figures.verdicts import client_marks, in_order, verdict_intervals

__all__ = [
  'accuracy_against_bytes',
  'accuracy_by_epsilon',
  'adaptation_gain',
  'client_marks',
  'client_scatter',
  'clients_map',
  'cumulative_gain',
  'distance_by_share',
  'epsilon_curve',
  'forgetting_curves',
  'gain_by_data',
  'improvement_bars',
  'in_order',
  'label_distribution',
  'sweep_error_bars',
  'sweep_heat_map',
  'training_curves',
  'validation_curves',
  'verdict_intervals',
]
