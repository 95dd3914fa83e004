"""Figures of a run: each a function from data to a Matplotlib `Figure`.

They draw in the palette of `tff_lg.analysis.style`, label both axes with units and
leave out what the data lack. Nothing here writes a file.
"""

from tff_lg.analysis.figures.clients import client_scatter
from tff_lg.analysis.figures.communication import accuracy_against_bytes
from tff_lg.analysis.figures.curves import training_curves
from tff_lg.analysis.figures.labels import label_distribution

__all__ = ['accuracy_against_bytes', 'client_scatter', 'label_distribution', 'training_curves']
