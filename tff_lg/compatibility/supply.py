"""Supplies what TFF imports and does not find."""

import importlib
import importlib.util
import sys

from tff_lg import environment
from tff_lg.compatibility import delayed, stand_ins

# A module that TFF imports, what it needs, and why that may be missing.
_NEEDS = (
  (
    'tensorflow_federated.python.core.environments.jax',
    'jax.lib.xla_client',
    'TFF 0.87 needs JAX 0.4.14 for it',
  ),
  (
    'tensorflow_federated.python.learning.programs.vizier_program_logic',
    'vizier.pyvizier',
    'it needs the package google-vizier',
  ),
  (
    'tensorflow_estimator',
    'tensorflow_estimator.python',
    'TensorFlow has had no estimators since 2.16',
  ),
)
# Of this package TFF uses `tensor_encoding`, which works where the rest wants an older Keras.
_BARE = ('tensorflow_model_optimization',)
# What TFF imports for discrete privacy and for accountants, a third of the time that it takes.
_RARELY_USED = ('tensorflow_probability', 'scipy.signal')
# Releases that have legacy Keras within; later ones have it as the package tf_keras.
_WITH_LEGACY_KERAS = ('2.14.', '2.15.')


def supply_missing() -> None:
  """Puts stand-ins for modules that cannot be imported where imports find them.

  Raises:
    ImportError: TensorFlow is in use with Keras 3; TFF is made for legacy Keras.
  """
  environment.prepare_tensorflow()
  import tensorflow as tf  # Only now does it take legacy Keras.

  for name in _RARELY_USED:
    delayed.delay(name)
  missing = {name: reason for name, needed, reason in _NEEDS if not _can_import(needed)}
  sys.meta_path.insert(0, stand_ins.StandInFinder(missing))
  if tf.__version__.startswith(_WITH_LEGACY_KERAS):
    return
  if not tf.keras.__name__.startswith('tf_keras'):
    raise ImportError(
      'TensorFlow is in use with Keras 3, but TFF is made for legacy Keras: import tff_lg before '
      f'anything uses tf.keras, or set {environment.LEGACY_KERAS}=1.'
    )
  sys.meta_path.insert(0, stand_ins.BarePackageFinder(_BARE))


def _can_import(name: str) -> bool:
  """Returns whether a module or another name can be imported from its parent, as TFF does it."""
  parent, _, child = name.rpartition('.')
  try:
    found = hasattr(importlib.import_module(parent), child)
    return found or importlib.util.find_spec(name) is not None
  except ImportError:
    return False
