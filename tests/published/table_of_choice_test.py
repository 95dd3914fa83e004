"""Tests of the tables of choice on test data: each explains a published figure."""

import types

from absl.testing import absltest, parameterized

from tff_lg import published


class TableOfChoiceTest(parameterized.TestCase):
  @parameterized.parameters(
    ('local_only', 87.93, 2.14, '--classes_per_client=2'),
    ('local_only_5', 73.42, 0, '--classes_per_client=5'),
    ('local_only_iid', 45.54, 0, '--partition=iid'),
    ('mtl', 89.68, 0.75, '--classes_per_client=2'),
    ('lg_1800', 91.77, 0.56, '--classes_per_client=2'),
    ('lg_1800_5', 82.51, 0, '--classes_per_client=5'),
    ('lg_1800_iid', 69.89, 0, '--partition=iid'),
  )
  def test_paper_is_beside_its_own_rule(self, name, paper, spread, deal):
    table = published.TABLES[f'cifar10_choice_{name}']
    validation, test, reference = table.figures
    self.assertEqual((reference.published, reference.spread), (paper, spread))
    self.assertIsNone(validation.published)
    self.assertIsNone(test.published)
    for run in table.runs:
      self.assertIn(deal, run.flags)

  def test_one_run_has_the_choice_on_validation_and_on_test_data(self):
    table = published.TABLES['cifar10_choice_lg_1800']
    name = 'local_test/accuracy/mean_over_clients'
    summaries = {
      'validation': {name: 0.5, f'optimistic/{name}': 0.625},
      'reference': {name: 0.75},
    }
    runs = {run: types.SimpleNamespace(value=found.get) for run, found in summaries.items()}
    self.assertEqual([figure.read(runs) for figure in table.figures], [50, 62.5, 75])


if __name__ == '__main__':
  absltest.main()
