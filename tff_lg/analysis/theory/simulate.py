"""Linear devices, and the error that mixtures of local and global model have on them.

  x ~ U[-1, 1]^d,  v ~ U[0, 1]^d,  r_m ~ N(0, rho^2 I),  u_m = v + r_m,  y = u_m.x + N(0, sigma^2)

with standard deviations rho and sigma. (The authors' script passes sigma^2 to NumPy as the
standard deviation: its noise is that of sigma = 2.25 here.)

Liang et al. 2020, theoretical analysis, the experiment on synthetic data.
"""

import dataclasses
import math
from typing import NamedTuple

import numpy as np

# E x^2 of x ~ U[-1, 1].
FEATURE_VARIANCE = 1 / 3


@dataclasses.dataclass(frozen=True)
class LinearSettings:
  """Settings of linear devices, as flags; the defaults are the paper's.

  Attributes:
    dims: d, features.
    devices: M, at least 2.
    examples: N, training examples of a device, more than `dims`.
    test_examples: test examples of a device.
    sigma: standard deviation of the noise in y, above 0.

  Raises:
    ValueError: a value out of range; the sentence names the flag.
  """

  dims: int = 20
  devices: int = 100
  examples: int = 2000
  test_examples: int = 1000
  sigma: float = 1.5

  def __post_init__(self) -> None:
    least = {'dims': 1, 'devices': 2, 'examples': self.dims + 1, 'test_examples': 1}
    for name, bound in least.items():
      if getattr(self, name) < bound:
        more = ', more than --dims' if name == 'examples' else ''
        raise ValueError(f'--{name} is {getattr(self, name)}, expected at least {bound}{more}.')
    if not 0 < self.sigma < math.inf:
      raise ValueError(f'--sigma is {self.sigma}, expected a standard deviation above 0.')


class LinearDevices(NamedTuple):
  """The data of all devices, float64.

  Attributes:
    true_weights: [devices, dims], u_m.
    x: [devices, examples, dims], to train on.
    y: [devices, examples], with noise.
    x_test: [devices, test_examples, dims].
  """

  true_weights: np.ndarray
  x: np.ndarray
  y: np.ndarray
  x_test: np.ndarray


class MeasuredError(NamedTuple):
  """The measured error of every mixture of local and global model.

  Let l and g be the prediction errors of local and global model. The error
  E (alpha l + (1 - alpha) g)^2 is a quadratic function of alpha. Three means over all test
  examples therefore give the whole curve and its minimum, without a grid.

  Attributes:
    local: mean of l^2, the error at alpha = 1.
    cross: mean of l g.
    mean: mean of g^2, the error at alpha = 0.
  """

  local: float
  cross: float
  mean: float

  def at(self, alpha: float | np.ndarray) -> float | np.ndarray:
    """Returns the error with the weight alpha on the local model, in the shape of `alpha`."""
    return (
      alpha**2 * self.local + 2 * alpha * (1 - alpha) * self.cross + (1 - alpha) ** 2 * self.mean
    )

  @property
  def best_alpha(self) -> float:
    """The alpha in [0, 1] with the least error, on these devices and this test set."""
    curvature = self.local - 2 * self.cross + self.mean
    return min(max((self.mean - self.cross) / curvature, 0.0), 1.0) if curvature > 0 else 0.0


def draw_devices(settings: LinearSettings, rho: float, seed: int, repeat: int = 0) -> LinearDevices:
  """Draws devices and their data.

  For two rho with the same seed and repeat, everything is the same except the scale of the
  r_m, so that settings can be compared.

  Args:
    settings: how many of everything, and the noise.
    rho: standard deviation of each coordinate of the r_m.
    seed: of all draws, not negative.
    repeat: another one gives other devices of the same kind.

  Returns:
    The devices; 8 * devices * (examples + test_examples) * dims bytes and a little more.
  """
  streams = np.random.SeedSequence(seed, spawn_key=(repeat,)).spawn(5)
  common, deviation, features, noise, test = map(np.random.default_rng, streams)
  of_device = (settings.devices, settings.examples, settings.dims)
  u = common.uniform(0, 1, settings.dims) + rho * deviation.standard_normal(
    (settings.devices, settings.dims)
  )
  x = features.uniform(-1, 1, of_device)
  y = _predictions(x, u) + settings.sigma * noise.standard_normal(of_device[:2])
  x_test = test.uniform(-1, 1, (settings.devices, settings.test_examples, settings.dims))
  return LinearDevices(u, x, y, x_test)


def measure_error(devices: LinearDevices, local_weights: np.ndarray) -> MeasuredError:
  """Measures mixtures of local models and their mean, which is what one FedAvg round gives.

  The error is against u_m.x, the outcome without its noise; against y it would be sigma^2 more for
  every model.

  Args:
    devices: with their test examples.
    local_weights: float [devices, dims], the local models.

  Returns:
    The error, mean over devices and test examples.
  """
  global_weights = local_weights.mean(axis=0)
  local = _predictions(devices.x_test, local_weights - devices.true_weights)
  of_global = _predictions(devices.x_test, global_weights - devices.true_weights)
  return MeasuredError(
    local=float((local**2).mean()),
    cross=float((local * of_global).mean()),
    mean=float((of_global**2).mean()),
  )


def _predictions(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
  return (x @ weights[..., np.newaxis])[..., 0]
