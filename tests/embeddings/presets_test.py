"""Tests of the known extractors."""

from absl.testing import absltest

from tff_lg.embeddings import presets


class PresetsTest(absltest.TestCase):
  def test_yamnet_takes_one_patch_at_least(self):
    preset = presets.PRESETS['yamnet']
    # 96 frames, one every 10 ms, each 25 ms long.
    samples = round((95 * 0.010 + 0.025) * preset.inputs.sample_rate)
    self.assertEqual(preset.inputs.min_samples, samples)
    self.assertEqual(preset.handle, 'https://tfhub.dev/google/yamnet/1')
    self.assertEqual(preset.output, 1)

  def test_inception_takes_images_of_299(self):
    preset = presets.PRESETS['inception_v3']
    self.assertEqual(preset.inputs, presets.ImageInput(size=299, low=0.0, high=1.0))
    self.assertEqual(
      preset.handle, 'https://tfhub.dev/google/imagenet/inception_v3/feature_vector/5'
    )

  def test_inputs_of_one_kind(self):
    yamnet, inception = presets.PRESETS['yamnet'], presets.PRESETS['inception_v3']
    self.assertIs(yamnet.audio, yamnet.inputs)
    self.assertIs(inception.image, inception.inputs)
    with self.assertRaisesRegex(TypeError, 'preset inception_v3 is for images, expected one for s'):
      _ = inception.audio
    with self.assertRaisesRegex(TypeError, 'preset yamnet is for sounds, expected one for images'):
      _ = yamnet.image

  def test_names(self):
    self.assertEqual(
      {name: preset.name for name, preset in presets.PRESETS.items()},
      {'yamnet': 'yamnet', 'inception_v3': 'inception_v3'},
    )


if __name__ == '__main__':
  absltest.main()
