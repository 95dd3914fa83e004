"""Tests of the section on the model."""

from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis.sections import model


class ModelTest(absltest.TestCase):
  def test_split_as_printed(self):
    html = model.build_model(testing.make_run(model_split='a  <b>\nc\n')).html
    self.assertIn('<pre>a  &lt;b&gt;\nc</pre>', html)

  def test_not_recorded(self):
    self.assertIsNone(model.build_model(testing.make_run()))


if __name__ == '__main__':
  absltest.main()
