import collections

from absl.testing import absltest, parameterized

from tools import check_language


def _faults(page):
  return list(check_language.check_page(page, collections.Counter()))


class PagesTest(parameterized.TestCase):
  @parameterized.parameters(
    ('x is no flag.', '"is not a"'),
    ('There is no flag.', None),
    ('It is no longer a flag.', None),
    ('The run goes on.', '"resume" or "continue"'),
    ('See below. Of text nothing is left.', 'the subject first'),
    ('What overflows is told.', 'the subject first'),
    ('What is measured?', None),
    ('Who pays gets it.', 'the subject first'),
    ('It has one row a client.', '"per client"'),
    ('The `goal accuracy` of P1.', None),
    ('| a | The run goes on. |', '"resume" or "continue"'),
    ('- The run goes on.', '"resume" or "continue"'),
    ('[It goes on](x.md).', '"resume" or "continue"'),
  )
  def test_patterns(self, page, advice):
    faults = _faults(page)
    if advice is None:
      self.assertEmpty(faults)
    else:
      self.assertLen(faults, 1)
      self.assertEqual(faults[0][0], 1)
      self.assertIn(advice, faults[0][1])

  def test_code_and_switched_off_text_are_skipped(self):
    page = (
      'Run:\n\n    goes on\n\n```\ngoes on\n```\n\n'
      '<!-- language: off -->\ngoes on\n<!-- language: on -->\n<!-- goes on -->\nIt goes on.\n'
    )
    self.assertEqual([number for number, _ in _faults(page)], [13])

  def test_long_sentences(self):
    counts = collections.Counter()
    page = 'word ' * 25 + '.\n\n' + 'word ' * 26 + '.'
    faults = list(check_language.check_page(page, counts))
    self.assertEqual(counts, {'sentences': 2})
    self.assertLen(faults, 1)
    self.assertEqual(faults[0][0], 3)
    self.assertIn('a sentence of 26 words', faults[0][1])

  def test_lines_that_end_within_a_sentence(self):
    self.assertLen(_faults('One line\ngets two.'), 1)
    self.assertEmpty(_faults('One line.\nAnother line.'))
    self.assertEmpty(_faults('One line\n\nA paragraph.'))
    self.assertEmpty(_faults('- one item\n- another item'))
    self.assertLen(_faults('- one item\n  gets two lines'), 1)


class SentencesTest(absltest.TestCase):
  def test_abbreviations_numbers_and_code(self):
    self.assertEqual(
      check_language.sentences('As in Yu et al. 2020, 0.5 is `a b. C`. Then *more*. (Last.)'),
      ['As in Yu et al. 2020, 0.5 is CODE.', 'Then more.', '(Last.)'],
    )

  def test_signs_are_not_words(self):
    self.assertEqual(check_language.num_words('alpha = 0.5 – more'), 3)


class SourcesTest(parameterized.TestCase):
  def test_docstrings_and_messages(self):
    source = '"""It goes on."""\n\ndef f():\n  """The same as g."""\n  error = f"{f} is no flag"\n'
    faults = list(check_language.check_source(source))
    self.assertEqual([number for number, _ in faults], [1, 4, 5])
    self.assertIn('"Returns"', faults[1][1])

  @parameterized.parameters(
    'Returns the sum.',
    'Aggregates, then adds noise.',
    'Names the runs.',
    'Does nothing: the file has it.',
  )
  def test_docstrings_that_begin_with_a_verb(self, docstring):
    self.assertTrue(check_language.begins_with_verb(docstring))

  @parameterized.parameters(
    'The sum.',
    'Return the sum.',
    'returns the sum.',
    'Whether it is one.',
    'States of clients.',
    'Clients train the model.',
    'This returns the sum.',
    '(x, y) by label.',
  )
  def test_docstrings_that_begin_otherwise(self, docstring):
    self.assertFalse(check_language.begins_with_verb(docstring))
    source = f'class C:\n  def _f(self):\n    """{docstring}"""\n'
    ((number, message),) = check_language.check_source(source)
    self.assertEqual(number, 3)
    self.assertIn(' '.join(docstring.split()[:3]), message)

  @parameterized.parameters(
    '"""The module."""',
    'class C:\n  """The class."""',
    'class C:\n  @property\n  def f(self):\n    """The value."""',
    'class C:\n  @functools.cached_property\n  def f(self):\n    """The value."""',
    'def test_f():\n  """The case of two clients."""',
  )
  def test_modules_classes_properties_and_tests_may_begin_with_nouns(self, source):
    self.assertEmpty(list(check_language.check_source(source)))

  def test_names(self):
    ((number, message),) = check_language.check_source('\ndef test_a_run_goes_on():\n  pass')
    self.assertEqual(number, 2)
    self.assertIn('test_a_run_goes_on: "goes on"', message)

  def test_strings_of_tests_are_data(self):
    source = 'x = "It goes on."'
    self.assertLen(list(check_language.check_source(source)), 1)
    self.assertEmpty(list(check_language.check_source(source, is_test=True)))

  def test_arguments_are_sentences_of_their_own(self):
    listed = '\n'.join(f'  argument_{number}: ' + 'word ' * 15 for number in range(4))
    self.assertEmpty(list(check_language.check_source(f'"""Returns.\n\nArgs:\n{listed}\n"""')))


if __name__ == '__main__':
  absltest.main()
