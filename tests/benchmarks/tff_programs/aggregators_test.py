"""Programs of `benchmarks.tff_programs.aggregators` on the local runtime."""

from absl.testing import absltest, parameterized

from benchmarks.tff_programs import aggregators
from tests.benchmarks.tff_programs import testing


class AggregatorsTest(parameterized.TestCase):
  @testing.each_program(aggregators)
  def test(self, each):
    testing.check(each)


if __name__ == '__main__':
  absltest.main()
