"""Lets pytest run absltest cases: nobody else parses absl's flags, which create_tempdir reads."""

from absl import flags
from absl.testing import absltest  # noqa: F401  Defines the flags.

flags.FLAGS.mark_as_parsed()
