"""Tests of the table of linear devices, by hand."""

from absl.testing import absltest

from tff_lg.analysis import theory
from tff_lg.analysis.theory import experiment, simulate


class ResultsTableTest(absltest.TestCase):
  def test_a_row_a_setting(self):
    variances = theory.Variances(device=3.0, data=1.0)
    errors = tuple(simulate.MeasuredError(local=m, cross=0.0, mean=m) for m in (1.0, 2.0))
    result = experiment.LinearResult(0.1, 2, variances, variances, errors, (variances,) * 2)
    table = theory.results_table([result])
    heads = [column.name for column in table.columns]
    self.assertEqual(heads[:5], ['rho', 'formula', "paper's", 'measured', 'estimated'])
    # Mean 1.5 and a 95 % interval of 12.706 * 0.7071 / sqrt(2) with one degree of freedom.
    self.assertEqual(
      table.rows[0][:6],
      ('0.1', '0.750', '0.750', '0.500 ± 0.000', '0.750 ± 0.000', '1,500.000 ± 6,353.102'),
    )
    # Half of each error is left at 1/2: (1/4 + 1/4) m.
    self.assertStartsWith(table.rows[0][-1], '750.000 ± ')


if __name__ == '__main__':
  absltest.main()
