"""Tests of the task and the network of a config, as flags show them and as small runs have them."""

from absl.testing import absltest, parameterized

from tff_lg import config, tasks
from tff_lg.config import TrainConfig, task


class SayTest(absltest.TestCase):
  def test_value_by_task(self):
    said = task.say_by_task(lambda entry: 'all' if entry.client_fraction == 1 else '')
    self.assertEqual(said, 'all for --task=diabetes, school, vehicle, embeddings and mood')

  def test_default(self):
    said = task.say_default(lambda entry: str(entry.num_clients))
    self.assertEqual(said, '100 by default, 10 for --task=embeddings')
    self.assertEqual(task.say_default(lambda entry: 'x'), 'x by default')

  def test_partitions_are_those_of_the_tasks(self):
    said = task.say_default(task.say_partition)
    self.assertStartsWith(
      said, 'classes_per_client by default, natural for --task=diabetes, pfllib, text, c'
    )
    self.assertIn('natural (with a --client_column, else iid) for --task=table', said)


class FastTest(parameterized.TestCase):
  @parameterized.parameters(*tasks.TASKS)
  def test_task_stays_if_it_has_small_data(self, name):
    small = config.fast(TrainConfig(task=name, data_dir='x'))
    stays = tasks.TASKS[name].fast is not None
    self.assertEqual((small.task, small.data_dir), (name if stays else 'digits', None))

  def test_every_small_run_resolves(self):
    for name in tasks.TASKS:
      config.resolve(config.fast(TrainConfig(task=name)))


class DefaultsTest(absltest.TestCase):
  def test_a_task_takes_back_its_default_where_a_file_says_it(self):
    self.assertEqual(config.resolve(TrainConfig(task='text')).vocabulary_size, 10_000)
    resolved = config.resolve(TrainConfig(task='text', vocabulary_file='x'))
    self.assertIsNone(resolved.vocabulary_size)

  def test_options_of_another_network(self):
    self.assertEqual(config.resolve(TrainConfig(task='mnist')).hidden_units, (512, 256, 256, 128))
    resolved = config.resolve(TrainConfig(task='mnist', model='cnn'))
    self.assertIsNone(resolved.hidden_units)
    self.assertEqual(config.resolve(resolved), resolved)
    for model in ('cnn', 'my_module:build'):
      with self.assertRaisesRegex(
        config.ConfigError, f'^--hidden_units is given, but --model={model} has no such option.$'
      ):
        config.resolve(TrainConfig(task='mnist', model=model, hidden_units=(3,)))

  def test_options_of_a_resolved_config_are_those_of_the_task(self):
    resolved = config.resolve(TrainConfig(task='chars'))
    options = config.TASK_OPTIONS.build(resolved, 'chars')
    self.assertEqual((options.sequence_length, options.lstm_units), (80, (256, 256)))


if __name__ == '__main__':
  absltest.main()
