"""Data sets, and how they are spread over clients.

Comes in: a data set's name and folder. Goes out: `FederatedData`, numpy arrays of each client's
training, validation and test examples. May import: NumPy; `tff_lg.metrics`. (The
loaders import scikit-learn, pandas, TensorFlow or TFF when they are called.)
`PARTITIONS` has an entry for each way to spread examples; other names are imported when they are
first used.

A table of the user's own, one row per example: `load_table`; arrays: `from_arrays`; Hugging Face
data sets and Flower's partitions: `from_datasets`; folders of PFLlib: `load_pfllib`. Image files:
`load_images`.

Text by user is data and clients at once: `load_text`, and `load_mood` with one mood per text.
Pupils by school: `load_school`. Vehicles by sensor: `load_vehicle`. People with protected
attributes: `load_adult`. Questions about pictures: `load_vqa`. Clients that do not fit in memory
are read when needed: `load_client_folder`, `load_client_database`, `from_client_data`, or any
function by `ClientReader`.

  source = data.load_source('mnist', data_dir)
  partitioner = data.partitioners.classes_per_client(100, 2)
  clients = data.partition_clients(source, partitioner, validation_fraction=0.1, seed=0).clients
"""

from typing import TYPE_CHECKING

from tff_lg import lazy_names
from tff_lg.data import partitioners
from tff_lg.data.partition_entries import PARTITIONS, PartitionEntry
from tff_lg.data.partition_entries import register as register_partition

if TYPE_CHECKING:
  from tff_lg.data import vocabulary, vqa_answers
  from tff_lg.data.adult import ADULT_ATTRIBUTES, load_adult
  from tff_lg.data.client_database import load_client_database
  from tff_lg.data.client_examples import ClientExamples, UnreadClient
  from tff_lg.data.client_files import load_client_folder
  from tff_lg.data.client_parts import PartSplit
  from tff_lg.data.client_reader import ClientReader
  from tff_lg.data.examples import DataError, Examples, Source, concatenate
  from tff_lg.data.federated import FederatedData, partition_clients
  from tff_lg.data.folds import Fold, take_fold
  from tff_lg.data.held_out import ChooseHeldOut, hold_out_clients, readmit_held_out
  from tff_lg.data.image_files import load_images
  from tff_lg.data.mood import load_mood
  from tff_lg.data.own_data import from_arrays, from_datasets
  from tff_lg.data.pfllib import load_pfllib
  from tff_lg.data.school import load_school
  from tff_lg.data.sources import SOURCE_NAMES, load_source
  from tff_lg.data.synthetic_patients import generate_patients
  from tff_lg.data.table import load_table
  from tff_lg.data.table_encoding import TableEncoding
  from tff_lg.data.text import load_text
  from tff_lg.data.tff_client_data import from_client_data
  from tff_lg.data.transformations import TRANSFORMATIONS, transform
  from tff_lg.data.twins import iid_twin
  from tff_lg.data.vehicle import load_vehicle
  from tff_lg.data.vqa import PictureFeatures, load_vqa

__all__ = [
  'ADULT_ATTRIBUTES',
  'PARTITIONS',
  'SOURCE_NAMES',
  'TRANSFORMATIONS',
  'ChooseHeldOut',
  'ClientExamples',
  'ClientReader',
  'DataError',
  'Examples',
  'FederatedData',
  'Fold',
  'PartSplit',
  'PartitionEntry',
  'PictureFeatures',
  'Source',
  'TableEncoding',
  'UnreadClient',
  'concatenate',
  'from_arrays',
  'from_client_data',
  'from_datasets',
  'generate_patients',
  'hold_out_clients',
  'iid_twin',
  'load_adult',
  'load_client_database',
  'load_client_folder',
  'load_images',
  'load_mood',
  'load_pfllib',
  'load_school',
  'load_source',
  'load_table',
  'load_text',
  'load_vehicle',
  'load_vqa',
  'partition_clients',
  'partitioners',
  'readmit_held_out',
  'register_partition',
  'take_fold',
  'transform',
  'vocabulary',
  'vqa_answers',
]

__getattr__ = lazy_names.importer(
  __name__,
  __all__,
  (
    'examples',
    'client_examples',
    'vocabulary',
    'vqa_answers',
    'adult',
    'client_database',
    'client_files',
    'client_parts',
    'client_reader',
    'federated',
    'folds',
    'held_out',
    'image_files',
    'twins',
    'mood',
    'own_data',
    'pfllib',
    'school',
    'sources',
    'synthetic_patients',
    'table',
    'table_encoding',
    'text',
    'tff_client_data',
    'transformations',
    'vehicle',
    'vqa',
  ),
)
