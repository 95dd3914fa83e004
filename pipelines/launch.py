"""Starts a pipeline: parses its flags, then calls its main.

Not `absl.app.run`: a pipeline imports TensorFlow only once its flags are known to be
good, so that `--help` and a wrong flag answer at once, and under `app.run` that fails.
TensorFlow 2.14 uses `app.call_after_init` as it is imported
(distribute/combinations.py), which then runs before eager execution is set up.
"""

import faulthandler
import pathlib
import sys
import warnings
from collections.abc import Callable, Sequence

from absl import app, flags, logging

from tff_lg.config import option


def run(main: Callable[[Sequence[str]], None]) -> None:
  """Parses the command line and calls `main` with what is no flag.

  Args:
    main: the program; it ends itself by `sys.exit` where something is wrong.
  """
  # Where native code ends the process, Python's part of the stack is told too.
  faulthandler.enable(sys.__stderr__)
  app.define_help_flags()
  arguments = app.parse_flags_with_usage(sys.argv)
  try:
    for name, value in flags.FLAGS.flag_values_dict().items():
      option.check_finite(name, value)
  except option.ConfigError as error:
    sys.exit(f'{pathlib.Path(sys.argv[0]).stem}: {error}')
  logging.use_absl_handler()
  # TensorFlow Federated's packages import setuptools' pkg_resources, which is no user's concern.
  warnings.filterwarnings('ignore', message='pkg_resources is deprecated')
  main(arguments)
