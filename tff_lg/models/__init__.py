"""Models whose weights are split into a global and a local part.

The room turns a Keras model into a `LocalGlobalModel`: TFF's functional model, and a split of its
weights. The server aggregates a global weight; a local weight never leaves its client. `build_mlp`,
`build_lenet` and `build_reference_lenet` are the networks of the LG-FedAvg paper;
`build_group_norm_lenet` normalises its layers. `build_cnn` is
that of the FedAvg paper, and `build_cgau` that of Rieger et al. (2020). `build_resnet18` and
`build_lstm` are those of Yu et al. for images and for text. `build_bilstm` gives a whole text one
label, and `build_vqa` answers a question about a picture. An `AuxiliaryNetwork` learns on a
client's local layers and stays there. That of `build_adversary` keeps protected attributes out of
them.

Comes in: a Keras model, a loss, metrics. Goes out: a frozen value that
`tff_lg.learning` trains. May import: TensorFlow, TFF; `tff_lg.metrics`.
"""

from tff_lg.models.adversary import Adversary, build_adversary, protected_classifier
from tff_lg.models.auxiliary import AuxiliaryNetwork, build_auxiliary, representation
from tff_lg.models.bilstm import build_bilstm
from tff_lg.models.cgau import ClientShift, ConditionalGatedActivation
from tff_lg.models.cgau_network import (
  UNKNOWN_CLIENT,
  append_client_index,
  build_cgau,
  cgau_global_layers,
  unknown_client_weights,
)
from tff_lg.models.cnn import build_cnn
from tff_lg.models.dropout import StatelessDropout
from tff_lg.models.example_weights import WeighedClassLoss, with_example_weights
from tff_lg.models.imported import build_imported, build_original
from tff_lg.models.keras3 import is_keras3
from tff_lg.models.lenet import build_group_norm_lenet, build_lenet, build_reference_lenet
from tff_lg.models.local_global import (
  LocalGlobalModel,
  ModelWeights,
  assign_weights,
  from_keras,
  layer_names,
)
from tff_lg.models.lstm import build_lstm
from tff_lg.models.mlp import build_linear, build_mlp
from tff_lg.models.named_inputs import TakeInput, join_inputs, separate_inputs
from tff_lg.models.resnet import RESNET18_BODY, build_resnet18
from tff_lg.models.sequences import SequenceCrossentropy, from_keras_sequences
from tff_lg.models.vqa import VQA_GLOBAL_LAYERS, VqaAccuracy, build_vqa, from_keras_vqa

__all__ = [
  'assign_weights',
  'RESNET18_BODY',
  'UNKNOWN_CLIENT',
  'VQA_GLOBAL_LAYERS',
  'Adversary',
  'AuxiliaryNetwork',
  'ClientShift',
  'ConditionalGatedActivation',
  'LocalGlobalModel',
  'ModelWeights',
  'SequenceCrossentropy',
  'StatelessDropout',
  'TakeInput',
  'VqaAccuracy',
  'WeighedClassLoss',
  'append_client_index',
  'build_adversary',
  'build_auxiliary',
  'build_bilstm',
  'build_cgau',
  'build_cnn',
  'build_group_norm_lenet',
  'build_imported',
  'build_lenet',
  'build_linear',
  'build_reference_lenet',
  'build_lstm',
  'build_mlp',
  'build_original',
  'build_resnet18',
  'build_vqa',
  'cgau_global_layers',
  'from_keras',
  'from_keras_sequences',
  'from_keras_vqa',
  'is_keras3',
  'join_inputs',
  'layer_names',
  'protected_classifier',
  'representation',
  'separate_inputs',
  'unknown_client_weights',
  'with_example_weights',
]
