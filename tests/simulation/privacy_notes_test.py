"""Tests of what stands beside an epsilon."""

from absl.testing import absltest, parameterized

from tff_lg import config as config_lib
from tff_lg.simulation import privacy_notes


def _config(**changes):
  private = {'aggregator': 'dp_mean', 'noise_multiplier': 1.0, 'method': 'fedavg'}
  return config_lib.resolve(config_lib.TrainConfig(**{**private, **changes}))


def _notes(config):
  return privacy_notes.privacy_notes(
    config.task_options,
    config.method_options,
    config.selection_options,
    secure_noise=config.secure_noise,
  )


class PrivacyWarningsTest(parameterized.TestCase):
  @parameterized.parameters(
    ('text', {}, ['vocabulary']),
    ('chars', {}, ['vocabulary']),
    ('mood', {}, ['vocabulary', 'score_bins']),
    ('mood', {'vocabulary_file': 'words.txt'}, ['score_bins']),
    ('vqa', {}, ['vocabulary', 'answers']),
    ('vqa', {'answers_file': 'answers.txt'}, ['vocabulary']),
    (
      'table',
      {'data_dir': 'd.csv', 'label_column': ('ill',), 'client_column': 'hospital'},
      ['table_encoding'],
    ),
    ('digits', {}, []),
  )
  def test_what_is_computed_from_private_data(self, task, lists, names):
    warnings = privacy_notes.privacy_warnings(_config(task=task, **lists).task_options)
    self.assertEqual(list(warnings), [f'privacy/warning/{name}' for name in names])
    self.assertTrue(all('epsilon does not cover it' in text for text in warnings.values()))


class PrivacyNotesTest(parameterized.TestCase):
  def test_metrics_are_without_noise(self):
    notes = _notes(_config())
    self.assertIn('released without noise', notes['privacy/not_covered/metrics'])

  @parameterized.parameters(
    ({'rounds': 20}, 'private validation data'),
    ({'rounds': 20, 'protocol': 'reference'}, 'private test data'),
    ({'rounds': 10}, None),
    ({'rounds': 11}, 'private validation data'),
    ({'rounds': 10, 'warm_start_rounds': 20, 'method': 'lg_fedavg'}, None),
    # The warm start's own best round starts what follows.
    (
      {'rounds': 10, 'warm_start_rounds': 20, 'method': 'lg_fedavg', 'protocol': 'reference'},
      'private test data',
    ),
  )
  def test_the_choice_of_the_best_round(self, changes, data):
    # Evaluated every 10 rounds and after the last of a phase.
    note = _notes(_config(**changes)).get('privacy/not_covered/best_round')
    self.assertEqual(note and f"chosen on the clients' {data}" in note, data and True)

  @parameterized.parameters(
    ({'rounds_until': 'validation/accuracy>=0.9'}, 'rounds_until'),
    ({'rounds_until': 'goal_accuracy', 'goal_accuracy': (0.9,)}, 'rounds_until'),
    (
      {'warm_start_until': 'validation/loss<=1', 'warm_start_rounds': 5, 'method': 'lg_fedavg'},
      'warm_start_until',
    ),
  )
  def test_goals_that_end_rounds(self, changes, name):
    note = _notes(_config(**changes))[f'privacy/not_covered/{name}']
    self.assertStartsWith(note, f"--{name}={changes[name]} looks at the clients' private data")

  def test_what_is_taken_for_public(self):
    name = 'privacy/assumed/public'
    self.assertIn('the classes of examples', _notes(_config())[name])
    text = _notes(_config(task='text', vocabulary_file='words.txt'))[name]
    self.assertEndsWith(text, 'the number of clients, --vocabulary_file.')

  def test_who_may_know_the_seed(self):
    name = 'privacy/assumed/noise'
    self.assertStartsWith(_notes(_config())[name], 'Noise and cohorts follow')
    secure = _config(secure_noise=True, checkpoint_every=1)
    self.assertStartsWith(_notes(secure)[name], 'A secret of the operating')


if __name__ == '__main__':
  absltest.main()
