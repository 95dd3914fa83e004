"""Frozen networks as feature extractors, and the sets of embeddings they make.

Comes in: a network (a preset, or any TF-Hub handle or SavedModel folder) and clips or images.
Goes out: an `EmbeddingSet`, one compressed file, and a cache through which a run that was killed
resumes. May import: NumPy, `tff_lg.data`. `EmbeddingSet` and the presets
are light; TensorFlow and the decoders are imported by the modules that embed:

  from tff_lg.embeddings import clips, extractor, fsd

  network = extractor.load_extractor(embeddings.PRESETS['yamnet'])
  listed = fsd.list_clips(data_dir, positive_class='Cough')
  done = clips.embed_clips(listed, network, embeddings.EmbeddingCache('cough.cache'))
  done.embeddings.save('cough.npz')

  train = embeddings.EmbeddingSet.load('cough.npz').part('train')
"""

from tff_lg.embeddings.cache import EmbeddingCache
from tff_lg.embeddings.digits import load_digits
from tff_lg.embeddings.embedding_set import SPLITS, EmbeddingError, EmbeddingSet
from tff_lg.embeddings.presets import PRESETS, AudioInput, ImageInput, Preset

__all__ = [
  'PRESETS',
  'SPLITS',
  'AudioInput',
  'EmbeddingCache',
  'EmbeddingError',
  'EmbeddingSet',
  'ImageInput',
  'Preset',
  'load_digits',
]
