"""Embeds sounds or images with a frozen network, into one file.

  python -m pipelines.embed --preset=yamnet --data_dir=fsd --output=fsd.npz --positive_class=Cough
  python -m pipelines.embed --preset=inception_v3 --source=cifar10 --output=cifar10.npz

--data_dir is, for sounds, a folder laid out as FSDKaggle2018 is: FSDKaggle2018.audio_train,
FSDKaggle2018.audio_test and the CSV files in FSDKaggle2018.meta. Embeddings are kept in a
cache folder beside the output. Rerun the same command to resume a stopped one; it embeds only new
or changed examples. The folder may be deleted once the output is there.
"""

import dataclasses
import os
from typing import Any

from absl import flags

from pipelines import launch, path_flags
from tff_lg import data, progress
from tff_lg.config import option
from tff_lg.embeddings import embedding_set, image_folder, presets

_PRESET = flags.DEFINE_enum(
  'preset', None, list(presets.PRESETS), 'Input of the network, and its default location.'
)
_HANDLE = path_flags.define(
  'handle', None, 'Another network of the same kind: a TF-Hub handle or a SavedModel folder.'
)
_HANDLE_SHA256 = flags.DEFINE_string('handle_sha256', None, 'SHA-256 of --handle, as printed.')
_DATA_DIR = path_flags.define('data_dir', None, 'Folder of the data.')
_SOURCE = flags.DEFINE_enum(
  'source', None, (*data.SOURCE_NAMES, 'files'), 'Images: the data set, or files in --data_dir.'
)
_POSITIVE_CLASS = flags.DEFINE_string(
  'positive_class',
  None,
  'Sounds: this label is class 1, all others 0; by default each label is a class.',
)
_STRICT = flags.DEFINE_bool(
  'strict', False, 'Sounds: refuses a clip that is unreadable or empty, instead of skipping it.'
)
_IMAGE_SIZE = flags.DEFINE_integer(
  'image_size', None, "Images: the network's input size in pixels, if not the preset's.", 1
)
_IMAGE_RANGE = flags.DEFINE_list(
  'image_range', None, "Images: the network's values for black and white, e.g. -1,1."
)
_BATCH_SIZE = flags.DEFINE_integer('batch_size', 32, 'Images: number embedded at a time.', 1)
_MAX_EXAMPLES = flags.DEFINE_integer(
  'max_examples', None, 'Examples to embed, drawn from train and test by their shares.', 1
)
_SEED = flags.DEFINE_integer('seed', 0, 'Seed of --max_examples, and of a split that we make.', 0)
_OUTPUT = path_flags.define('output', None, 'File to write, .npz.')
_CACHE_DIR = path_flags.define('cache_dir', None, 'Cache folder; <output>.cache by default.')


def preset_from_flags() -> presets.Preset:
  """Returns the preset, with what flags say of its input.

  Raises:
    EmbeddingError: flags that cannot be, or do not fit the preset.
  """
  preset = presets.PRESETS[launch.given(_PRESET, ', '.join(presets.PRESETS))]
  if not launch.given(_OUTPUT, 'a file to write, .npz').endswith('.npz'):
    raise embedding_set.EmbeddingError(f'--output is {_OUTPUT.value}, expected a name in .npz.')
  is_audio = isinstance(preset.inputs, presets.AudioInput)
  other = (_SOURCE, _IMAGE_SIZE, _IMAGE_RANGE) if is_audio else (_POSITIVE_CLASS, _STRICT)
  for flag in other:
    if flag.value:
      kind = 'sounds' if is_audio else 'images'
      raise embedding_set.EmbeddingError(
        f'--{flag.name} is given, but --preset={preset.name} is for {kind}.'
      )
  if is_audio:
    launch.given(_DATA_DIR, 'the folder of the clips')
    return preset
  if launch.given(_SOURCE, f'one of {", ".join(data.SOURCE_NAMES)}, files') == 'files':
    launch.given(_DATA_DIR, 'the folder of the images')
  inputs = preset.image
  if _IMAGE_SIZE.value:
    inputs = dataclasses.replace(inputs, size=_IMAGE_SIZE.value)
  if _IMAGE_RANGE.value:
    try:
      low, high = map(float, _IMAGE_RANGE.value)
      option.check_finite('image_range', (low, high))
    except ValueError as error:
      found = ','.join(_IMAGE_RANGE.value)
      raise embedding_set.EmbeddingError(
        f'--image_range is {found}, expected two numbers, for black and white.'
      ) from error
    inputs = dataclasses.replace(inputs, low=low, high=high)
  return dataclasses.replace(preset, inputs=inputs)


def main() -> None:
  """Checks the flags, then embeds and writes."""
  preset = preset_from_flags()

  is_audio = isinstance(preset.inputs, presets.AudioInput)
  presets.find_handle(preset, _HANDLE.value)
  if is_audio:
    from tff_lg.embeddings import fsd  # Needs pandas.

    clip_list = fsd.list_clips(launch.given(_DATA_DIR), _POSITIVE_CLASS.value)
  elif _SOURCE.value == 'files':
    image_folder.find_images(launch.given(_DATA_DIR))
  else:
    source = data.load_source(launch.given(_SOURCE), _DATA_DIR.value, _SEED.value)

  # TensorFlow takes seconds to import: only once flags and data are known to be good.
  with progress.stage('importing TensorFlow'):
    from tff_lg.embeddings import cache, clips, extractor, image_files, images

  network = extractor.load_extractor(preset, _HANDLE.value, _HANDLE_SHA256.value)
  store = cache.EmbeddingCache(_CACHE_DIR.value or f'{_OUTPUT.value}.cache')
  chosen: dict[str, Any] = {'max_examples': _MAX_EXAMPLES.value, 'seed': _SEED.value}
  said = (_DATA_DIR, _SOURCE, _POSITIVE_CLASS)
  chosen['provenance'] = {flag.name: flag.value for flag in said} | chosen
  chosen |= {'strict': _STRICT.value} if is_audio else {'batch_size': _BATCH_SIZE.value}
  if is_audio:
    done = clips.embed_clips(clip_list, network, store, **chosen)
  elif _SOURCE.value == 'files':
    done = image_files.embed_image_files(launch.given(_DATA_DIR), network, store, **chosen)
  else:
    done = images.embed_images(source, network, store, **chosen)
  done.embeddings.save(launch.given(_OUTPUT))
  count, dimensions = done.embeddings.x.shape
  print(f'{count} examples x {dimensions}: {done.num_computed} embedded now, the rest from cache.')
  print(f'{len(done.skipped)} skipped.\nNetwork: SHA-256 {network.digest}')
  print(f'Embeddings: {os.path.abspath(launch.given(_OUTPUT))}')


if __name__ == '__main__':
  launch.run(main, after_stop='rerun the same command to resume')
