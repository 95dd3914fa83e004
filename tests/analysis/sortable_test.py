"""Tests of the table that can be sorted."""

from absl.testing import absltest

from tff_lg.analysis import sortable


class SortableTableTest(absltest.TestCase):
  def test_cells_have_what_they_are_sorted_by(self):
    html = sortable.sortable_table(['a', 'b <'], [[('x', 'x'), (0.5, '50 & more')]], 'methods')
    for text in (
      '<td data-value="x">x</td><td data-value="0.5">50 &amp; more</td>',
      '<button type="button">b &lt;</button>',
      'placeholder="Search methods"',
      'class="sortable"',
    ):
      self.assertIn(text, html)


if __name__ == '__main__':
  absltest.main()
