"""Local-global federated learning on TensorFlow Federated.

A model's weights are split in two: a *global* part that the server aggregates and a *local* part
that never leaves its client. Federated averaging, training alone and LG-FedAvg are values of one
and the same federated computation.

The rooms, in the order in which data flow through them; each may import those above it, never those
below:

* `tff_lg.compatibility`: TFF itself, on the versions of its neighbours that are installed.
* `tff_lg.metrics`: what is predicted, by which metrics it is scored, and what is better.
* `tff_lg.data`: sources, partitioners, and the examples of each client.
* `tff_lg.models`: Keras models and their split into a local and a global part.
* `tff_lg.learning`: the federated process, its methods, and evaluation.
* `tff_lg.runtime`: TFF computations in this process; it knows TFF only.
* `tff_lg.training`: the loop over rounds, from values: cohorts, callbacks, checkpoints.
* `tff_lg.simulation`: a config turned into such values, and a whole run with its baselines.
* `tff_lg.analysis`: from run folders to tables, figures and the report.

Each room says in its own `__init__` what it may import. These are the rooms that it names, what
these may import, and the modules of this folder.

This module imports no room, so that `import tff_lg` costs nothing. It has TensorFlow take legacy
Keras, which TFF is made for, before anything asks for `tf.keras`.
"""

from tff_lg import environment

environment.prepare_tensorflow()

__version__ = '0.1.0'
