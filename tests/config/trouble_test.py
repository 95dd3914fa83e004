"""Tests of the options of attacks and ordinary trouble."""

from absl.testing import absltest, parameterized

from tff_lg import config
from tff_lg.config import TrainConfig


class TroubleOptionsTest(parameterized.TestCase):
  def test_defaults(self):
    resolved = config.resolve(TrainConfig())
    self.assertIsNone(resolved.malicious_share)
    self.assertEqual((resolved.client_dropout_rate, resolved.straggler_rate), (0.0, 0.0))
    self.assertEqual(config.resolve(TrainConfig(attack='label_flip')).malicious_share, 0.1)

  @parameterized.parameters(
    ({'malicious_share': 0.1}, '--malicious_share is given, but there is no --attack'),
    ({'attack_strength': 2.0}, '--attack_strength is given, but there is no --attack'),
    ({'attack': 'bribery'}, '--attack is bribery, expected one of backdoor'),
    ({'attack': 'label_flip', 'attack_strength': 2.0}, '--attack is label_flip: it belongs'),
    ({'attack': 'sign_flip', 'attack_strength': 0.0}, '--attack_strength is 0.0, expected more'),
    ({'attack': 'sign_flip', 'malicious_share': 1.5}, r'is 1.5, expected in \[0, 1\)'),
    ({'client_dropout_rate': 1.0}, r'--client_dropout_rate is 1.0, expected in \[0, 1\)'),
    ({'straggler_rate': -0.5}, r'--straggler_rate is -0.5, expected in \[0, 1\)'),
    (
      {'attack': 'sign_flip', 'method': 'local_only'},
      '--method=local_only sends nothing to attack',
    ),
    (
      {'attack': 'backdoor', 'task': 'embeddings', 'embeddings': 'set.npz'},
      '--attack=backdoor needs images, but --task=embeddings has none',
    ),
  )
  def test_refuses(self, changes, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(TrainConfig(**changes))


if __name__ == '__main__':
  absltest.main()
