"""Programs of `benchmarks.tff_programs.backends` on the local runtime."""

from absl.testing import absltest, parameterized

from benchmarks.tff_programs import backends
from tests.benchmarks.tff_programs import testing


class BackendsTest(parameterized.TestCase):
  @testing.each_program(backends)
  def test(self, each):
    testing.check(each)


if __name__ == '__main__':
  absltest.main()
