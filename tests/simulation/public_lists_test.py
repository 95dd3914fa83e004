"""Tests that with public lists neighbouring data sets have networks of the same size."""

import json

import numpy as np
from absl.testing import absltest, parameterized

from tests.data import vqa_testing
from tff_lg import config as config_lib
from tff_lg import embeddings
from tff_lg.inputs import tasks
from tff_lg.simulation import privacy_notes

_SMALL = {
  'text': {'lstm_units': (4, 4)},
  'chars': {'lstm_units': (4, 4)},
  'mood': {'bilstm_units': 4, 'hidden_units': (4, 4)},
  'vqa': {'lstm_units': (4,), 'hidden_units': (4, 4, 4), 'num_clients': 1},
}
# What one client wrote: in one data set, and in its neighbour.
_ONE, _OTHER = 'some', 'quite another thing'


class PublicListsTest(parameterized.TestCase):
  def _text(self, written):
    users = {'ann': ['it is', 'yes', 'no', 'yes'], 'bob': [written] * 4}
    lines = [json.dumps({'user': user, 'lines': lines}) for user, lines in users.items()]
    folder = self.create_tempdir()
    folder.create_file('text.jsonl', '\n'.join(lines))
    return {'data_dir': folder.full_path}

  def _mood(self, written):
    rows = ['user,text,score', *(f'ann,yes,{score}' for score in range(5))]
    rows += [f'bob,{written},{len(written)}'] * 5
    return {'data_dir': self.create_tempfile(content='\n'.join(rows)).full_path}

  def _vqa(self, written):
    rows = [(0, 0, 'Is it?', ['yes'] * 10), (1, 1, f'Is it {written}?', ['no'] * 10)]
    rows += [(2, 1, 'What is it?', ['yes'] * 5 + written.split()[:1] * 4 + [written.upper()])]
    folder = vqa_testing.write_files(self.create_tempdir().full_path, rows, rows)
    names = np.array(['0.png', '1.png'])
    features = embeddings.EmbeddingSet(
      ids=names,
      x=np.ones((2, 2), np.float32),
      y=np.zeros(2, np.int32),
      split=np.full(2, 'train'),
      class_names=np.array(['image']),
      keys=names,
      provenance='{}',
    ).save(f'{folder}/pictures.npz')
    return {'data_dir': folder, 'embeddings': features}

  def _config(self, task, written, lists):
    write = {'text': self._text, 'chars': self._text, 'mood': self._mood, 'vqa': self._vqa}[task]
    small = {'sequence_length': 6, 'embedding_units': 4, 'validation_fraction': 0.3, **_SMALL[task]}
    private = {'aggregator': 'dp_mean', 'noise_multiplier': 1.0, 'method': 'fedavg'}
    return config_lib.resolve(
      config_lib.TrainConfig(task=task, **small, **private, **write(written), **lists)
    )

  def _network(self, config):
    """Returns the shape of an input, the shapes of the weights, and the classes."""
    loaded = tasks.load_data(config.input_options)
    model = tasks.build_model(config.input_options, loaded)
    shapes = [np.shape(weight) for weight in model.initial_weights]
    return loaded.test.x.shape[1:], shapes, loaded.class_names

  @parameterized.parameters('text', 'chars', 'mood', 'vqa')
  def test_neighbours(self, task):
    private = [self._config(task, written, {}) for written in (_ONE, _OTHER)]
    (_, shapes, _), (_, others, _) = map(self._network, private)
    self.assertNotEqual(shapes, others)
    self.assertNotEmpty(privacy_notes.privacy_warnings(private[0].task_options))

    entries = 'yes no' if task == 'chars' else ['yes', 'no', 'thing']
    path = self.create_tempfile(content='\n'.join(entries)).full_path
    lists = {'vocabulary_file': path}
    lists |= {'mood': {'score_range': (0.0, 10.0)}, 'vqa': {'answers_file': path}}.get(task, {})
    public = [self._config(task, written, lists) for written in (_ONE, _OTHER)]
    one, other = map(self._network, public)
    self.assertEqual(one, other)
    self.assertEmpty(privacy_notes.privacy_warnings(public[0].task_options))


if __name__ == '__main__':
  absltest.main()
