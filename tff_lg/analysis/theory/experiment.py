"""Formula, simulation and estimates for devices that differ little and much."""

import dataclasses
import functools
import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd

from tff_lg import confidence, heterogeneity, metric_names
from tff_lg.analysis.theory import closed_form, estimators, simulate

_ALPHAS = np.linspace(0, 1, 101)


@dataclasses.dataclass(frozen=True)
class LinearExperiment:
  """The settings of the experiment.

  Attributes:
    settings: of the devices.
    rhos: standard deviations of each coordinate of the r_m, each a setting of its own.
    repeats: of each setting, with other devices and data, at least 2.
    seed: of everything random.

  Raises:
    ValueError: a value out of range; the sentence names the flag.
  """

  settings: simulate.LinearSettings = simulate.LinearSettings()
  rhos: tuple[float, ...] = (0.5, 0.1, 0.06, 0.02)
  repeats: int = 50
  seed: int = 0

  def __post_init__(self) -> None:
    distinct = len(set(self.rhos)) == len(self.rhos)
    if not (self.rhos and distinct and all(0 <= rho < math.inf for rho in self.rhos)):
      given = ','.join(f'{rho:g}' for rho in self.rhos)
      raise ValueError(f'--rhos is {given}, expected different standard deviations of 0 or more.')
    for name, least in (('repeats', 2), ('seed', 0)):
      if getattr(self, name) < least:
        raise ValueError(f'--{name} is {getattr(self, name)}, expected at least {least}.')

  def caption(self) -> str:
    """Returns what a figure of the results shows, in whole sentences."""
    settings = self.settings
    return (
      f'{settings.devices} linear devices, {settings.examples:,} training and '
      f'{settings.test_examples:,} test examples each, d = {settings.dims} features uniform in '
      f'[-1, 1] (E[xxᵀ] = I / 3),\nnoise of standard deviation {settings.sigma:g}, '
      f"devices' true models N(v, rho² I); {self.repeats} repeats, seed {self.seed}. "
      'Error: squared error of prediction beyond the noise.\n'
      "R is the device variance. The paper's R = rho² holds where E[xxᵀ] = I and rho² is summed "
      'over coordinates; dashed for the same rho.'
    )


@dataclasses.dataclass(frozen=True)
class LinearResult:
  """One setting: what was measured and what formulas say.

  Attributes:
    rho: of each coordinate of the r_m.
    num_devices: M.
    variances: R and T of the simulated devices.
    paper_variances: R and T as the paper writes them, R = rho^2.
    measured: the error on test data, one per repeat.
    estimated: R and T estimated from training data, one per repeat.
  """

  rho: float
  num_devices: int
  variances: heterogeneity.Variances
  paper_variances: heterogeneity.Variances
  measured: tuple[simulate.MeasuredError, ...]
  estimated: tuple[heterogeneity.Variances, ...]

  def alphas(self) -> dict[str, np.ndarray]:
    """Returns alpha* by its source: float [repeats] if from data, else a single number."""
    return {
      'formula': np.asarray(heterogeneity.best_alpha(self.variances)),
      'paper_formula': np.asarray(heterogeneity.best_alpha(self.paper_variances)),
      'measured': np.array([error.best_alpha for error in self.measured]),
      'estimated': np.array([heterogeneity.best_alpha(each) for each in self.estimated]),
    }

  def curve(self) -> pd.DataFrame:
    """Returns errors over a grid of alpha, in squared units of y.

    Returns:
      Columns rho, alpha, measured (mean over repeats), low and high (its 95 % interval),
      formula, paper_formula.
    """
    errors = np.array([error.at(_ALPHAS) for error in self.measured])
    low, high = mean_interval(errors)
    return pd.DataFrame(
      {
        'rho': self.rho,
        'alpha': _ALPHAS,
        'measured': errors.mean(axis=0),
        'low': low,
        'high': high,
        'formula': self._formula(_ALPHAS, self.variances),
        'paper_formula': self._formula(_ALPHAS, self.paper_variances),
      }
    )

  def summary(self) -> dict[str, float]:
    """Returns means over repeats by name; `/low` and `/high` are the ends of a 95 % interval.

    `error/formula`, `error/paper_formula` and `error/estimated` are measured errors with
    these alpha*; `error/least` is the least of every repeat, known only after the fact.
    """
    alphas = self.alphas()
    values = {
      'rho': self.rho,
      'device_variance': self.variances.device,
      'data_variance': self.variances.data,
    }
    samples = {metric_names.alpha(name): alpha for name, alpha in alphas.items()}
    samples |= {
      'device_variance/estimated': np.array([each.device for each in self.estimated]),
      'data_variance/estimated': np.array([each.data for each in self.estimated]),
    }
    mixtures = {'local': np.ones(()), 'global': np.zeros(()), **alphas}
    for name, alpha in mixtures.items():
      each = np.broadcast_to(alpha, len(self.measured))
      name = 'least' if name == 'measured' else name
      samples[metric_names.error(name)] = np.array(
        [error.at(weight) for error, weight in zip(self.measured, each, strict=True)]
      )
    for name, sample in samples.items():
      values[name] = float(sample.mean())
      if sample.ndim:
        ends = map(float, mean_interval(sample))
        values |= dict(zip(metric_names.interval(name), ends, strict=True))
    return values

  def _formula(self, alpha: np.ndarray, variances: heterogeneity.Variances) -> np.ndarray:
    return closed_form.interpolation_error(alpha, variances, self.num_devices)


def run_linear(
  experiment: LinearExperiment, progress: Callable[[Sequence], Iterable] = lambda steps: steps
) -> tuple[LinearResult, ...]:
  """Draws, fits and measures every setting.

  Args:
    experiment: what to run.
    progress: goes over the repeats of all settings and may show them, see `tff_lg.progress.over`.

  Returns:
    A result for each rho, in their order; equal experiments give equal results.
  """
  settings = experiment.settings
  runs = [(rho, repeat) for rho in experiment.rhos for repeat in range(experiment.repeats)]
  measured: dict[float, list[simulate.MeasuredError]] = {rho: [] for rho in experiment.rhos}
  estimated: dict[float, list[heterogeneity.Variances]] = {rho: [] for rho in experiment.rhos}
  for rho, repeat in progress(runs):
    devices = simulate.draw_devices(settings, rho, experiment.seed, repeat)
    fit = estimators.fit_linear(devices.x, devices.y)
    measured[rho].append(simulate.measure_error(devices, fit.weights))
    estimated[rho].append(fit.variances)
  variances = functools.partial(
    closed_form.linear_variances,
    dims=settings.dims,
    examples=settings.examples,
    sigma=settings.sigma,
  )
  return tuple(
    LinearResult(
      rho=rho,
      num_devices=settings.devices,
      variances=variances(rho=rho, feature_variance=simulate.FEATURE_VARIANCE),
      paper_variances=variances(rho=rho, feature_variance=1, total_rho=True),
      measured=tuple(measured[rho]),
      estimated=tuple(estimated[rho]),
    )
    for rho in experiment.rhos
  )


def mean_interval(samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
  """Returns the 95 % interval of the mean over the first axis, by Student's distribution.

  Args:
    samples: float [n, ...], n at least 2.

  Returns:
    Its lower and upper end, both float [...].
  """
  margin = confidence.half_width(samples)
  mean = samples.mean(axis=0)
  return mean - margin, mean + margin
