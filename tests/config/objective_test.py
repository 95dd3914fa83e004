"""Tests of the options of what clients minimise."""

from absl.testing import absltest, parameterized

from tff_lg import config
from tff_lg.config import TrainConfig

_NAMES = (
  *('mtl_strength', 'mtl_weight_decay', 'auxiliary', 'global_loss_weight', 'auxiliary_units'),
)


def _options(**changes):
  resolved = config.resolve(TrainConfig(**changes))
  return tuple(getattr(resolved, name) for name in _NAMES)


class ObjectiveOptionsTest(parameterized.TestCase):
  def test_defaults(self):
    self.assertEqual(_options(), (None,) * 5)
    self.assertEqual(_options(auxiliary='jigsaw'), (None, None, 'jigsaw', 1.0, (64,)))
    self.assertEqual(_options(method='mtl'), (0.1, None, None, None, None))
    self.assertEqual(_options(method='fedavg', baselines=('mtl',))[0], 0.1)
    self.assertEqual(
      _options(method='fedavg', baselines=('lg_fedavg',), auxiliary='jigsaw', auxiliary_units=()),
      (None, None, 'jigsaw', 1.0, ()),
    )

  def test_baselines_have_their_own(self):
    own = config.resolve(
      TrainConfig(
        auxiliary='supervised',
        mtl_strength=2.0,
        mtl_weight_decay=0.5,
        baselines=('local_only', 'mtl'),
        rounds=3,
      )
    )
    of_mtl, alone = (config.as_baseline(own, method) for method in ('mtl', 'local_only'))
    self.assertEqual(tuple(getattr(of_mtl, name) for name in _NAMES), (2.0, 0.5, None, None, None))
    self.assertEqual(tuple(getattr(alone, name) for name in _NAMES), (None,) * 5)
    for baseline in (of_mtl, alone):
      self.assertEqual(config.resolve(baseline), baseline)

  def test_fast_keeps_them(self):
    slow = TrainConfig(task='cifar10', global_layers=('fc_1', 'output'), auxiliary='jigsaw')
    fast = config.resolve(config.fast(slow))
    self.assertEqual((fast.task, fast.auxiliary, fast.auxiliary_units), ('digits', 'jigsaw', (64,)))

  @parameterized.parameters(
    ({'mtl_strength': 0.5}, '--mtl_strength is given, but --method is lg_fedavg: it belongs to'),
    ({'method': 'mtl', 'auxiliary': 'jigsaw'}, '--method is mtl: it belongs to --method=lg_fedavg'),
    ({'method': 'mtl', 'mtl_strength': -1.0}, '--mtl_strength is -1.0, expected 0 or more'),
    ({'method': 'mtl', 'mtl_strength': float('nan')}, '--mtl_strength is nan'),
    ({'mtl_weight_decay': 0.1}, '--mtl_weight_decay is given, but --method is lg_fedavg'),
    ({'method': 'mtl', 'mtl_weight_decay': -0.1}, '--mtl_weight_decay is -0.1, expected 0 or more'),
    ({'global_loss_weight': 1.0}, '--global_loss_weight is given, but there is no --auxiliary'),
    ({'auxiliary_units': (3,)}, '--auxiliary_units is given, but there is no --auxiliary'),
    ({'auxiliary': 'decoder'}, '--auxiliary is decoder, expected one of supervised'),
    ({'auxiliary': 'jigsaw', 'global_loss_weight': 0.0}, '_weight is 0.0, expected more than 0'),
    ({'auxiliary': 'jigsaw', 'auxiliary_units': (3, 0)}, '_units has 0, expected more than 0'),
    (
      {'auxiliary': 'jigsaw', 'task': 'embeddings', 'embeddings': 'set.npz'},
      '--auxiliary is jigsaw, but --task=embeddings has no images',
    ),
    (
      {'auxiliary': 'autoencoder', 'task': 'text'},
      '--auxiliary is autoencoder, but --task=text has no numbers as inputs',
    ),
    (
      {'method': 'mtl', 'client_weighting': 'gradient_norm'},
      '--client_weighting=gradient_norm does not fit mtl',
    ),
  )
  def test_refuses(self, changes, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(TrainConfig(**changes))


if __name__ == '__main__':
  absltest.main()
