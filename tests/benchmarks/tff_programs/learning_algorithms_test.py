"""Programs of `benchmarks.tff_programs.learning_algorithms` on the local runtime."""

from absl.testing import absltest, parameterized

from benchmarks.tff_programs import learning_algorithms
from tests.benchmarks.tff_programs import testing


class LearningAlgorithmsTest(parameterized.TestCase):
  @testing.each_program(learning_algorithms)
  def test(self, each):
    testing.check(each)


if __name__ == '__main__':
  absltest.main()
