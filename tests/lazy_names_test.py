"""Tests of names that are imported when they are first used."""

from absl.testing import absltest

import tff_lg
from tff_lg import lazy_names


class ImporterTest(absltest.TestCase):
  def test_finds_the_module_that_has_the_name(self):
    import_name = lazy_names.importer('tff_lg', ('POSITIVE', 'importer'), ('seeds', 'option_check'))
    self.assertNotIn('POSITIVE', vars(tff_lg))
    self.addCleanup(delattr, tff_lg, 'POSITIVE')
    self.assertEqual(import_name('POSITIVE').expected, 'more than 0')
    self.assertIn('POSITIVE', vars(tff_lg))

  def test_other_names(self):
    import_name = lazy_names.importer('tff_lg', ('POSITIVE',), ('seeds',))
    for name in ('POSITIVE', 'derive_seed'):
      with self.assertRaisesRegex(AttributeError, f'^module tff_lg has no attribute {name}$'):
        import_name(name)


if __name__ == '__main__':
  absltest.main()
