"""Runs the Python code in its first argument; `processes.run_code` runs it, maybe in a fork."""

import sys

if __name__ == '__main__':
  exec(compile(sys.argv.pop(1), 'program', 'exec'), {'__name__': '__main__'})
