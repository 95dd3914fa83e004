"""Programs of `benchmarks.tff_programs.tutorials` on the local runtime."""

from absl.testing import absltest, parameterized

from benchmarks.tff_programs import tutorials
from tests.benchmarks.tff_programs import testing


class TutorialsTest(parameterized.TestCase):
  @testing.each_program(tutorials)
  def test(self, each):
    testing.check(each)


if __name__ == '__main__':
  absltest.main()
