"""Programs of `benchmarks.tff_programs.analytics` on the local runtime."""

from absl.testing import absltest, parameterized

from benchmarks.tff_programs import analytics
from tests.benchmarks.tff_programs import testing


class AnalyticsTest(parameterized.TestCase):
  @testing.each_program(analytics)
  def test(self, each):
    testing.check(each)


if __name__ == '__main__':
  absltest.main()
