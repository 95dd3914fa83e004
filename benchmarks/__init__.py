"""Speed and memory, measured by hand: every figure is a ratio within one run.

  python -m benchmarks.round_time
  python -m benchmarks.memory

Never part of the tests: a timing that fails a test is a test of the machine. No optimised graphs of
other processes are used, unless `TFF_LG_CACHE` names their folder.
"""

import os

from tff_lg import environment

os.environ.setdefault(environment.GRAPH_CACHE, '')
