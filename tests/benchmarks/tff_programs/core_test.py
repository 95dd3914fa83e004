"""Programs of `benchmarks.tff_programs.core` on the local runtime."""

from absl.testing import absltest, parameterized

from benchmarks.tff_programs import core
from tests.benchmarks.tff_programs import testing


class CoreTest(parameterized.TestCase):
  @testing.each_program(core)
  def test(self, each):
    testing.check(each)


if __name__ == '__main__':
  absltest.main()
