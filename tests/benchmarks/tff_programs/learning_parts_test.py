"""Programs of `benchmarks.tff_programs.learning_parts` on the local runtime."""

from absl.testing import absltest, parameterized

from benchmarks.tff_programs import learning_parts
from tests.benchmarks.tff_programs import testing


class LearningPartsTest(parameterized.TestCase):
  @testing.each_program(learning_parts)
  def test(self, each):
    testing.check(each)


if __name__ == '__main__':
  absltest.main()
