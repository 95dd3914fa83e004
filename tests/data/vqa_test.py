"""Tests of questions about pictures as examples: words, answers, labels, and who has which."""

import numpy as np
from absl.testing import absltest, parameterized

from tests.data import vqa_testing
from tff_lg.data import examples, vqa

_TRAIN = [
  (1, 10, 'What is it?', ['cat'] * 5 + ['The dog'] * 4 + ['owl']),
  (2, 10, 'What is it?', ['dog'] * 4 + ['cat'] * 4 + ['two'] * 2),
  (3, 20, 'How many cats?', ['2'] * 3 + ['3'] * 7),
  (4, 30, 'Why?', ['who knows'] * 9 + ['']),
]
_TEST = [
  (5, 40, 'Is it new?', ['2'] * 9 + ['owl']),
  (6, 40, 'What is it?', ['Nothing!'] * 10),
]
# By picture, in no order.
_FEATURES = vqa.PictureFeatures(
  np.array([40, 10, 30, 20]), np.array([[4, 40], [1, 10], [3, 30], [2, 20]], np.float32), 'the file'
)


class LoadVqaTest(parameterized.TestCase):
  def _load(self, train=_TRAIN, test=_TEST, features=_FEATURES, **options):
    folder = vqa_testing.write_files(self.create_tempdir().full_path, train, test)
    options = {'num_clients': 1, 'num_answers': 4, 'validation_fraction': 0, **options}
    return vqa.load_vqa(folder, features, **options)

  def test_answers_are_those_of_training_questions_by_frequency(self):
    # 'who knows' and 'cat' 9 each, 'dog' 8, '3' 7, '2' 5, 'owl' 1.
    data = self._load()
    self.assertEqual(data.class_names, ('<unknown>', 'cat', 'who knows', 'dog', '3'))
    self.assertEqual(data.num_classes, 5)
    self.assertLen(self._load(num_answers=100).class_names, 1 + 6)

  def test_labels_and_answers(self):
    (client,) = self._load().clients
    # Of equals the more frequent in training: 'cat' before 'dog'.
    self.assertEqual(client.train.y.tolist(), [1, 1, 4, 2])
    np.testing.assert_array_equal(client.train.answers[0], [1] * 5 + [3] * 4 + [-1])
    np.testing.assert_array_equal(client.train.answers[1], [3] * 4 + [1] * 4 + [-1] * 2)
    # Test questions without a known answer stay, with a label that nothing is trained on.
    self.assertEqual(client.test.y.tolist(), [0, 0])
    np.testing.assert_array_equal(client.test.answers, np.full((2, 10), -1))

  def test_training_questions_without_a_known_answer_are_left_out(self):
    with self.assertLogs(level='WARNING') as logs:
      (client,) = self._load(num_answers=1).clients
    self.assertIn('2 of 4 training questions have a known answer; the others', logs.output[0])
    self.assertEqual(client.train.y.tolist(), [1, 1])
    self.assertLen(client.test, 2)

  def test_an_example_is_features_and_words(self):
    data = self._load(sequence_length=3)
    (client,) = data.clients
    self.assertEqual((client.train.x.dtype, client.train.x.shape), (np.float32, (4, 5)))
    np.testing.assert_array_equal(client.train.x[:, :2], [[1, 10], [1, 10], [2, 20], [3, 30]])
    words = [[data.vocabulary[int(i)] for i in row[2:]] for row in client.train.x]
    self.assertEqual(
      words[1:], [['what', 'is', 'it'], ['how', 'many', 'cats'], ['why', '?', '<pad>']]
    )
    # 'new' is in no training question.
    words = [data.vocabulary[int(i)] for i in client.test.x[0, 2:]]
    self.assertEqual(words, ['is', 'it', '<unk>'])
    self.assertEqual(client.test.x[0, :2].tolist(), [4, 40])

  def test_vocabulary_size(self):
    self.assertLen(self._load(vocabulary_size=5).vocabulary, 5)

  def test_known_words_and_answers(self):
    words = ('<pad>', '<unk>', '\n', 'it', 'cats')
    data = self._load(known_words=words, known_answers=('dog', 'cat', '3', 'new'), num_answers=3)
    self.assertEqual(data.vocabulary, words)
    self.assertEqual(data.class_names, ('<unknown>', 'dog', 'cat', '3'))
    (client,) = data.clients
    # Of equals the first in the list: 'dog' before 'cat'. The last question has no known answer.
    self.assertEqual(client.train.y.tolist(), [2, 1, 3])
    self.assertEqual(self._load(known_answers=('a', 'owl'), num_answers=None).num_classes, 3)

  def test_pictures_are_dealt_with_all_their_questions(self):
    rows = [(q, q // 3, 'Is it?', [f'{q % 2}'] * 10) for q in range(30)]
    features = vqa.PictureFeatures(np.arange(10), np.arange(10, dtype=np.float32)[:, None], 'x')
    one, same, other = (
      self._load(rows, rows, features, num_clients=4, validation_fraction=0.3, seed=seed)
      for seed in (0, 0, 1)
    )
    self.assertEqual(
      [client.client_id for client in one.clients], [f'client_{i}' for i in range(4)]
    )
    for parts in (('train', 'validation'), ('test',)):
      pictures = [
        np.concatenate([getattr(client, part).x[:, 0] for part in parts]) for client in one.clients
      ]
      self.assertEqual(sorted(map(len, pictures)), [6, 6, 9, 9])
      self.assertEqual(sorted(np.concatenate(pictures)), sorted([*range(10)] * 3))
      self.assertEqual(sum(len(set(of_client)) for of_client in pictures), 10)
    self.assertFalse(one.has_plain_labels)
    self.assertIsNone(one.label_counts())
    np.testing.assert_array_equal(one.clients[0].train.x, same.clients[0].train.x)
    self.assertFalse(np.array_equal(one.clients[0].test.x, other.clients[0].test.x))

  def test_pictures_are_dealt_by_their_usual_answer(self):
    # Forty pictures with three questions each, the answers to two of which are the same.
    rows = [(q, q // 3, 'Is it?', [f'{q // 3 % 2 if q % 3 else 2}'] * 10) for q in range(120)]
    features = vqa.PictureFeatures(np.arange(40), np.arange(40, dtype=np.float32)[:, None], 'x')
    options = {'num_clients': 2, 'validation_fraction': 0.1}
    data = self._load(rows, rows, features, dirichlet_alpha=0.3, seed=1, **options)
    pictures = []
    for part in ('train', 'test'):
      odd = []
      for client in data.clients:
        parts = [client.train, client.validation] if part == 'train' else [client.test]
        found = np.concatenate([each.x[:, 0] for each in parts])
        self.assertEqual(len(found), 3 * len(set(found)))
        pictures.append(set(found))
        odd.append(sum(picture % 2 for picture in set(found)))
      self.assertNotEqual(odd[0] * len(pictures[-1]), odd[1] * len(pictures[-2]))
      self.assertEqual(sum(odd), 20)
      self.assertEqual(sum(map(len, pictures[-2:])), 40)
    # Test pictures have the same shares.
    self.assertEqual([len(each) for each in pictures[:2]], [len(each) for each in pictures[2:]])

  def test_generated_shapes(self):
    data = vqa.load_vqa(num_clients=7)
    for part, size in (('test', 5000), ('validation', 4200), ('train', 37800)):
      self.assertAlmostEqual(sum(len(getattr(c, part)) for c in data.clients), size, delta=4)
    self.assertLen(data.test, 5000)
    self.assertLen(data.class_names, 1 + 6 + 5 + 2)
    self.assertGreater(data.test.y.min(), 0)

  def test_max_questions(self):
    one, same = (
      vqa.load_vqa(num_clients=2, max_questions=50, validation_fraction=0, seed=1) for _ in range(2)
    )
    self.assertEqual(sum(len(client.train) for client in one.clients), 50)
    self.assertLen(one.test, 6)  # 50 of 42,000, so 5.95 of 5,000.
    np.testing.assert_array_equal(one.test.x, same.test.x)
    (client,) = self._load(max_questions=100).clients
    self.assertLen(client.train, 4)

  def test_refuses_data(self):
    features = vqa.PictureFeatures(np.array([10, 20]), np.zeros((2, 3), np.float32), 'the file')
    with self.assertRaisesRegex(
      examples.DataError, r'the file: picture 30 not found.*\(1 such questions of 4\)'
    ):
      self._load(features=features)
    with self.assertRaisesRegex(examples.DataError, '3 of 9 clients have training questions'):
      self._load(num_clients=9)

  @parameterized.parameters('sequence_length', 'num_answers', 'max_questions')
  def test_refuses_options(self, name):
    with self.assertRaisesRegex(ValueError, f'{name} (is )?-1'):
      vqa.load_vqa(**{name: -1})

  def test_refuses_files_without_features(self):
    with self.assertRaisesRegex(ValueError, 'features is None'):
      vqa.load_vqa('folder')


if __name__ == '__main__':
  absltest.main()
