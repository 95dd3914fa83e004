"""The command line: one program a file; what it names by `--import` is imported before the rest."""

import sys

from pipelines import early_signals, outside

early_signals.handle(sys.argv)
outside.import_modules(sys.argv)
