"""Programs of `benchmarks.tff_programs.program_module` on the local runtime."""

from absl.testing import absltest, parameterized

from benchmarks.tff_programs import program_module
from tests.benchmarks.tff_programs import testing


class ProgramsTest(parameterized.TestCase):
  @testing.each_program(program_module)
  def test(self, each):
    testing.check(each)


if __name__ == '__main__':
  absltest.main()
