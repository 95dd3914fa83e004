"""The command line: one program a file; what it names by `--import` is imported before the rest."""

import sys

from pipelines import outside

outside.import_modules(sys.argv)
