"""Programs of `benchmarks.tff_programs.private_aggregators` on the local runtime."""

from absl.testing import absltest, parameterized

from benchmarks.tff_programs import private_aggregators
from tests.benchmarks.tff_programs import testing


class PrivateAggregatorsTest(parameterized.TestCase):
  @testing.each_program(private_aggregators)
  def test(self, each):
    testing.check(each)


if __name__ == '__main__':
  absltest.main()
