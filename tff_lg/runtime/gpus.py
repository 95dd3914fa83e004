"""GPUs: how TensorFlow takes their memory, and their parts."""

from collections.abc import Sequence

import tensorflow as tf

# A GPU runs operations of its clients one after another; four keep it supplied.
_CLIENTS_PER_GPU = 4

# Of the free memory; the rest is for what CUDA's libraries take outside TensorFlow's share.
_SHARED_OUT = 0.9


def prepare(gpus: Sequence[tf.config.PhysicalDevice], parts: int = 1) -> None:
  """Splits each GPU into parts, or lets its memory grow.

  A GPU that a program has split by itself stays as it is, if `parts` is one.

  Args:
    gpus: those that TensorFlow sees.
    parts: how many; each has a stream of operations and an equal share of the free memory.

  Raises:
    ValueError: there is no GPU to split, its memory is unknown, or TensorFlow has started.
    RuntimeError: TensorFlow has started, and one part is asked for.
  """
  if parts > 1 and not gpus:
    raise ValueError(f'gpu_parts is {parts}, but TensorFlow sees no GPU; expected 1.')
  if parts == 1:
    for gpu in gpus:
      if not _num_parts(gpu):
        tf.config.experimental.set_memory_growth(gpu, True)
  elif any(_num_parts(gpu) != parts for gpu in gpus):
    part = tf.config.LogicalDeviceConfiguration(memory_limit=_free_mebibytes() // parts)
    try:
      for gpu in gpus:
        tf.config.set_logical_device_configuration(gpu, [part] * parts)
    except RuntimeError as error:
      raise ValueError(
        f'gpu_parts is {parts}, but TensorFlow has started; set the context before its first '
        'operation.'
      ) from error


def clients_at_a_time() -> int:
  """Returns how many clients run on a GPU, or on a part of one, if nobody says."""
  are_split = any(_num_parts(gpu) > 1 for gpu in tf.config.get_visible_devices('GPU'))
  return 1 if are_split else _CLIENTS_PER_GPU


def _num_parts(gpu: tf.config.PhysicalDevice) -> int:
  """Returns 0 for a GPU that nobody has set up."""
  return len(tf.config.get_logical_device_configuration(gpu) or ())


def _free_mebibytes() -> int:
  """Returns what TensorFlow may take of the fullest GPU."""
  try:
    import pynvml  # Only `requirements-gpu.txt` has it.

    pynvml.nvmlInit()
  except Exception as error:  # The package is not installed, or there is no driver.
    raise ValueError(
      f'gpu_parts: NVML, which tells the memory of GPUs, does not start ({error}); expected what '
      '`make venv GPU=1` installs.'
    ) from error
  try:
    handles = map(pynvml.nvmlDeviceGetHandleByIndex, range(pynvml.nvmlDeviceGetCount()))
    free = min(pynvml.nvmlDeviceGetMemoryInfo(each).free for each in handles)
  finally:
    pynvml.nvmlShutdown()
  return int(free * _SHARED_OUT) >> 20
