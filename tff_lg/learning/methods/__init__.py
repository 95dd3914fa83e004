"""The methods: each is one entry, in a module of its own, that says everything about it.

An entry has the name, label, look, options, traits and contradictions of a method, how its parts
behave, and how its process is built. Flags, checks, reports, tables and tests are made of entries.
A new method is one module here that calls `register`; one from outside does the same and comes in
by `--import`.
"""

from tff_lg.entries import NoOptions, Option, import_modules, option
from tff_lg.learning.methods.method import Method
from tff_lg.learning.methods.parts import SERVER_COPY, SPLIT, Parts
from tff_lg.learning.methods.registry import METHODS, register
from tff_lg.option_check import NOT_NEGATIVE, POSITIVE, SHARE

__all__ = [
  'METHODS',
  'NOT_NEGATIVE',
  'POSITIVE',
  'SERVER_COPY',
  'SHARE',
  'SPLIT',
  'Method',
  'NoOptions',
  'Option',
  'Parts',
  'option',
  'register',
]

import_modules(__name__)
