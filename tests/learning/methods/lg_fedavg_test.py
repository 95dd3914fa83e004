"""Tests of LG-FedAvg as a setting; its rounds are tested with the process."""

from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import learning


def _build(*global_layers):
  method = learning.METHODS['lg_fedavg'](learning.MethodOptions(global_layers=global_layers))
  return method(testing.classifier(), testing.settings())


class LgFedAvgTest(parameterized.TestCase):
  def test_layers_named_are_global(self):
    process = _build('output')
    self.assertEqual(process.model.weight_is_global, (False, False, True, True))
    shapes = [tuple(weight.shape) for weight in process.upload_type[0]]
    self.assertEqual(shapes, [(5, 3), (3,)])

  @parameterized.parameters(
    ((), 'at least one global layer out of hidden_1, output'),
    (('top',), 'named top; its layers are hidden_1, output'),
  )
  def test_refuses(self, global_layers, sentence):
    with self.assertRaisesRegex(ValueError, sentence):
      _build(*global_layers)


if __name__ == '__main__':
  absltest.main()
