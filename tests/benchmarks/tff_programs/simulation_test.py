"""Programs of `benchmarks.tff_programs.simulation` on the local runtime."""

from absl.testing import absltest, parameterized

from benchmarks.tff_programs import simulation
from tests.benchmarks.tff_programs import testing


class SimulationTest(parameterized.TestCase):
  @testing.each_program(simulation)
  def test(self, each):
    testing.check(each)


if __name__ == '__main__':
  absltest.main()
