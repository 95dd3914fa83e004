"""Tests of TFF's own text data sets, in the form that TFF gives them; none is downloaded."""

import collections
import urllib.error
from unittest import mock

from absl.testing import absltest

from tff_lg import data
from tff_lg.compatibility import tff
from tff_lg.data import tff_text

_DATASETS = tff.simulation.datasets


def _client_data(field, **lines):
  return _DATASETS.TestClientData(
    {user: collections.OrderedDict([(field, of_user)]) for user, of_user in lines.items()}
  )


def _patch(module, *splits):
  return mock.patch.object(getattr(_DATASETS, module), 'load_data', return_value=splits)


class ReadUsersTest(absltest.TestCase):
  def test_shakespeare_is_training_text_then_test_text(self):
    train = _client_data('snippets', bo=[b'Who?', b' ', b'I.'], al=[b'Caf\xc3\xa9.'])
    test = _client_data('snippets', bo=[b'Away!'], cy=[b'Hark!'])
    with _patch('shakespeare', train, test) as load_data:
      users = tff_text.read_users('tff_shakespeare')
    load_data.assert_called_once_with(cache_dir=None)
    self.assertEqual(
      list(users.items()), [('al', ['Café.']), ('bo', ['Who?', 'I.', 'Away!']), ('cy', ['Hark!'])]
    )
    self.assertLen(users, 3)

  def test_stackoverflow_is_by_date_and_of_the_training_split(self):
    train, others = _DATASETS.stackoverflow.get_synthetic(), _client_data('tokens', x=[b'no'])
    folder = self.create_tempdir().full_path
    with _patch('stackoverflow', train, others, others) as load_data:
      users = tff_text.read_users('tff_stackoverflow', folder)
    load_data.assert_called_once_with(cache_dir=folder)
    self.assertEqual(list(users), ['synthetic_1', 'synthetic_2', 'synthetic_3'])
    # Of 2008, of the same second of 2008, then of 2010, which TFF has first.
    first, second, third = users['synthetic_1']
    self.assertStartsWith(first, 'css3 does')
    self.assertStartsWith(second, 'which is exactly')
    self.assertStartsWith(third, "if you're using")

  def test_fractions_of_a_second(self):
    dates = [
      b'2008-08-10 08:28:52.25 UTC',
      b'2008-08-10 08:28:52.2 UTC',
      b'2008-08-10 08:28:52 UTC',
    ]
    train = _DATASETS.TestClientData(
      {'al': collections.OrderedDict(creation_date=dates, tokens=[b'c', b'b', b'a'])}
    )
    with _patch('stackoverflow', train, train, train):
      self.assertEqual(tff_text.read_users('tff_stackoverflow')['al'], ['a', 'b', 'c'])

  def test_more_lines_than_are_read_at_a_time(self):
    train = _client_data('snippets', al=[f'{line}'.encode() for line in range(7)])
    with (
      _patch('shakespeare', train, _client_data('snippets', al=[b'7'])),
      mock.patch.object(tff_text, '_BATCH_SIZE', 3),
    ):
      self.assertEqual(tff_text.read_users('tff_shakespeare')['al'], list('01234567'))

  def test_failed_download_is_one_sentence(self):
    error = urllib.error.URLError('no route to host')
    with (
      mock.patch.object(_DATASETS.stackoverflow, 'load_data', side_effect=error),
      self.assertRaisesRegex(
        data.DataError,
        '--text_source=tff_stackoverflow could not be loaded .*no route to host.*: without a '
        "network, name the folder of TFF's stackoverflow.sqlite by --data_dir",
      ),
    ):
      tff_text.read_users('tff_stackoverflow')

  def test_damaged_database(self):
    folder = self.create_tempdir()
    folder.create_file('shakespeare.sqlite', 'half a download')
    with self.assertRaisesRegex(data.DataError, 'not a database.*delete a broken download first'):
      tff_text.read_users('tff_shakespeare', folder.full_path)


if __name__ == '__main__':
  absltest.main()
