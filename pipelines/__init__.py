"""The command line: one program a file; what it names by `--import` is imported before the rest."""

import sys

from pipelines import early_signals

early_signals.handle(sys.argv)

from pipelines import outside  # noqa: E402, signals come first.

outside.import_modules(sys.argv)
