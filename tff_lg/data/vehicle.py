"""Vehicles by the sensor that saw them, from the MATLAB file of Vehicle, or generated ones."""

import numpy as np

from tff_lg.data import examples, federated, held_out, silos

SENSORS = silos.Kind('vehicle.mat', 'sensor', 'labels')
_LABELS = (-1, 1)
_SENSORS, _FEATURES = 10, 6
_LEAST_VEHICLES, _MOST_VEHICLES = 60, 120


def load_vehicle(
  path: str | None = None,
  *,
  test_fraction: float,
  validation_fraction: float,
  choose_held_out: held_out.ChooseHeldOut = held_out.nobody,
  seed: int = 0,
) -> federated.FederatedData:
  """Loads what each sensor measured, a client each, with the vehicle as one of two classes.

  Features and the split are those of `silos.to_clients`.

  Args:
    path: the file, or a folder with `vehicle.mat`; None for generated sensors.
    test_fraction: in [0, 1).
    validation_fraction: in [0, 1).
    choose_held_out: which of the sensors take no part in training.
    seed: of the split; the generated sensors are always the same.

  Returns:
    The clients `sensor_01`, ..., and the test examples of all that are not held out. x is float32
    [n, num_features]. Classes are int32 [n], 0 for the file's label -1.

  Raises:
    DataError: a file that is missing or damaged, or another label; one sentence.

  Wu et al. 2022, Motley, the cross-silo benchmark; Duarte and Hu 2004.
  """
  sensors = generate_sensors() if path is None else silos.read_silos(path, SENSORS)
  for number, sensor in enumerate(sensors, start=1):
    others = sensor.y[~np.isin(sensor.y, _LABELS)]
    if len(others):
      raise examples.DataError(
        f'{path}: sensor {number} has the label {others[0]:g}, expected -1 and 1.'
      )
  return silos.to_clients(
    sensors,
    SENSORS,
    target=lambda y: (y > 0).astype(np.int32),
    class_names=[str(label) for label in _LABELS],
    test_fraction=test_fraction,
    validation_fraction=validation_fraction,
    choose_held_out=choose_held_out,
    seed=seed,
  )


def generate_sensors() -> tuple[silos.Silo, ...]:
  """Draws sensors whose vehicles follow one linear rule with a part of each sensor's own.

  Returns:
    10 sensors of 60 to 120 vehicles with 6 features each, always the same.
  """
  rng = np.random.default_rng(0)
  common, sensors = rng.normal(size=_FEATURES), []
  for _ in range(_SENSORS):
    size = int(rng.integers(_LEAST_VEHICLES, _MOST_VEHICLES + 1))
    rule = common + rng.normal(scale=0.6, size=_FEATURES)
    x = rng.normal(size=(size, _FEATURES)).round(1)
    y = np.where(x @ rule + 0.5 * rng.normal(size=size) > 0, 1.0, -1.0)
    sensors.append(silos.Silo(x, y))
  return tuple(sensors)
