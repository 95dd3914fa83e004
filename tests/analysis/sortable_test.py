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

  def test_rows_that_open_panels_name_their_client(self):
    rows = [[('a "b"', 'a "b"'), (0.5, '0.5')]]
    html = sortable.sortable_table(['client', 'x'], rows, 'clients', opens_panels=True)
    self.assertIn('<tr data-client="a &#34;b&#34;" tabindex="0">', html)
    self.assertNotIn('data-client', sortable.sortable_table(['client', 'x'], rows, 'clients'))


if __name__ == '__main__':
  absltest.main()
