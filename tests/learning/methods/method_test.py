"""Tests of what all methods have in common."""

from absl.testing import absltest

from tests.learning import testing
from tff_lg import config, learning


class MethodTest(absltest.TestCase):
  def test_every_choice_of_the_flag_is_there(self):
    self.assertCountEqual(learning.METHODS, config.METHODS)

  def test_every_method_makes_a_process_of_model_and_settings(self):
    model = testing.classifier()
    options = learning.MethodOptions(global_layers=('output',), proximal_strength=0.1)
    num_global = {
      name: sum(factory(options)(model, testing.settings()).model.weight_is_global)
      for name, factory in learning.METHODS.items()
    }
    self.assertEqual(
      num_global,
      {'fedavg': 4, 'fedsgd': 4, 'fedprox': 4, 'local_only': 0, 'lg_fedavg': 2, 'mtl': 0},
    )
    # The model that was given is as it was.
    self.assertEqual(model.weight_is_global, (True,) * 4)


if __name__ == '__main__':
  absltest.main()
