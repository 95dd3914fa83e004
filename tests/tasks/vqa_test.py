"""Tests of the task on questions about pictures: its files, its features, and a run's scores."""

import numpy as np
from absl.testing import absltest, parameterized

from tests.data import vqa_testing
from tff_lg import config as config_lib
from tff_lg import embeddings, simulation
from tff_lg.inputs import tasks

_ANSWERS = ['yes'] * 6 + ['no'] * 4


def setUpModule():
  simulation.set_execution_context()


def _config(**changes):
  small = {
    'num_clients': 2,
    'embedding_units': 4,
    'lstm_units': (4,),
    'hidden_units': (5, 6, 7),
    'sequence_length': 6,
  }
  return config_lib.resolve(config_lib.TrainConfig(**{'task': 'vqa', **small, **changes}))


class VqaTaskTest(parameterized.TestCase):
  def _files(self, names, answers=_ANSWERS):
    """Writes a folder of questions about pictures 0 to 3, and a file of their embeddings."""
    rows = [(question, question % 4, 'Is it red?', answers) for question in range(8)]
    folder = vqa_testing.write_files(self.create_tempdir().full_path, rows, rows[:4])
    size = len(names)
    path = embeddings.EmbeddingSet(
      ids=np.array(names),
      x=np.arange(3 * size, dtype=np.float32).reshape(size, 3),
      y=np.zeros(size, np.int32),
      split=np.full(size, 'train'),
      class_names=np.array(['image']),
      keys=np.array(names),
      provenance='{}',
    ).save(f'{folder}/pictures.npz')
    return {'data_dir': folder, 'embeddings': path}

  def test_files(self):
    names = [f'val2014/COCO_val2014_{number:012d}.jpg' for number in (3, 2, 1, 0)]
    config = _config(**self._files(names), validation_fraction=0.25)
    loaded = tasks.load_data(config.input_options)
    self.assertEqual(loaded.test.x[:, :3].tolist(), [[9, 10, 11], [6, 7, 8], [3, 4, 5], [0, 1, 2]])
    self.assertEqual(loaded.class_names, ('<unknown>', 'yes', 'no'))
    model = tasks.build_model(config.input_options, loaded)
    layers = tasks.global_layers(config.task_options, config.method_options, model.layer_names)
    self.assertEqual(model.layer_names[-1], 'output')
    self.assertEqual(
      set(model.layer_names) - set(layers), {'picture_encoder', 'embedding', 'lstm_1'}
    )

  @parameterized.parameters(
    (['a_0.jpg', 'b.jpg'], 'the picture b.jpg has no number in its name'),
    (['a_0.jpg', 'b_00.jpg'], 'two pictures have the number 0'),
    (
      ['a_0.jpg', '1.jpg', '2.jpg'],
      r'pictures.npz: picture 3 not found.*\(2 such questions of 8\)',
    ),
  )
  def test_refuses(self, names, sentence):
    config = _config(**self._files(names))
    with self.assertRaisesRegex(ValueError, sentence):
      tasks.load_data(config.input_options)

  def test_global_layers_are_all_but_the_encoders(self):
    self.assertLen(tasks.own_global_layers(_config().task_options), 6)

  def test_a_run_is_scored_by_the_rule(self):
    # All questions have one label, which three of ten annotators gave.
    answers = ['yes'] * 3 + ['no'] * 2 + [f'other{i}' for i in range(5)]
    files = self._files([f'{number}.png' for number in range(4)], answers)
    config = _config(
      **files,
      num_answers=2,
      validation_fraction=0.25,
      method='fedavg',
      baselines=(),
      rounds=2,
      clients_per_round=2,
      client_epochs=20,
      client_learning_rate=0.2,
      evaluate_every=1,
    )
    summary = simulation.run_experiment(config, self.create_tempdir().full_path + '/run')
    for name in ('pooled_test', 'local_test', 'new_test'):
      found = [v for key, v in summary.items() if key.startswith(f'{name}/accuracy')]
      self.assertAlmostEqual(max(found), 0.9, places=5)
    self.assertNotIn('participant_test/accuracy/mean_over_clients', summary)


if __name__ == '__main__':
  absltest.main()
