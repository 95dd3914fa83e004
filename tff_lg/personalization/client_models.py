"""The model of one client of any finished run: federated, adapted, or its own.

Federated models are in a run's checkpoints. Own and adapted models are not in a file. Their run has
settings, epochs and seeds, with which they are trained again to the same bits. A model whose score
differs from that of the run is refused.
"""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import tensorflow as tf

from tff_lg import adaptation as adaptation_lib
from tff_lg import config as config_lib
from tff_lg import data as data_lib
from tff_lg import metric_names, own_models, simple_models
from tff_lg.learning.methods import local_only
from tff_lg.metrics import exact
from tff_lg.personalization import adaptation_work, adapting
from tff_lg.run_folder import run_files, run_settings
from tff_lg.scoring import scores
from tff_lg.simulation import export, trained_run
from tff_lg.training import client_data

# From a client's id to its model.
Load = Callable[[str], export.ClientModel]

_NETWORK = 'network'


def open_run(run_dir: str, data_dir: str | None = None) -> Load:
  """Opens a finished run of `pipelines.train` or `pipelines.adapt`; reads its data once.

  Args:
    run_dir: the run folder; of a method, or of the baseline or part `local_only`.
    data_dir: where its data are now; where they were by default.

  Returns:
    A function from a client's id to its model. It raises ValueError, one sentence, for an unknown
    client, or if the model has no Keras form or does not score as the run says.

  Raises:
    ValueError: no finished run, or its data are missing or others; one sentence.
    checkpoints.CheckpointError: the run's models are missing or damaged.
  """
  try:
    hparams = run_settings.load_hparams(run_dir)
  except (FileNotFoundError, NotADirectoryError):
    hparams = {}  # `load_trained_run` has the sentence.
  if 'source' in hparams:
    return _open_adapted(run_dir, hparams, data_dir)
  if hparams.get('method') != local_only.NAME:
    run = trained_run.load_trained_run(run_dir, data_dir)
    return lambda client_id: export.client_model(run, client_id)
  return _open_own(run_dir, data_dir)


def _open_own(run_dir: str, data_dir: str | None) -> Load:
  config = trained_run.load_config(run_dir, is_federated=False)
  if not config.trains_to_best:
    run = trained_run.load_trained_run(run_dir, data_dir, is_federated=False)
    return lambda client_id: export.client_model(run, client_id)
  config, clients, data, model = trained_run.load_inputs(run_dir, data_dir, is_federated=False)
  if len(clients) > len(data.clients):
    data = data_lib.readmit_held_out(data)
  train = client_data.part_tensors(data, 'train')
  summary = run_settings.load_summary(run_dir)
  inputs, options = config.input_options, config.local_learning_options

  def load(client_id: str) -> export.ClientModel:
    client = export.find_client(data, client_id)
    row = clients.iloc[client].to_dict()
    kind = row[metric_names.OWN_MODEL]
    if kind is None:
      raise ValueError(f'--client is {client_id}, which has no own model in {run_dir}.')
    name = f'{local_only.NAME} ({kind})'
    if kind == _NETWORK:
      rate = summary[metric_names.own_setting(_NETWORK, 'learning_rate')]
      epoch = int(row['epochs'])
      weights = own_models.retrain_network(options, model, train, client, rate, epoch)
      found = export.with_weights(name, inputs, data, data.clients[client], model, weights, row)
      return _checked(found, run_dir)
    simple = simple_models.SIMPLE_MODELS[kind]
    if simple.to_affine is None:
      raise ValueError(
        f'The own model of {client_id} is {kind}, which has no Keras form and cannot be exported.'
      )
    value = summary[metric_names.own_setting(kind, simple.hyperparameter)]
    affine = own_models.refit(kind, value, options, data, client)
    network = _as_network(affine, data.clients[client].train.x.shape[1:])
    found = export.ClientModel(name, inputs, data, data.clients[client], network, False, row)
    return _checked(found, run_dir)

  return load


def _open_adapted(run_dir: str, hparams: dict[str, Any], data_dir: str | None) -> Load:
  if not run_settings.is_complete(run_dir):
    raise ValueError(f'{run_dir} is not finished: run its `pipelines.adapt` command again first.')
  table = run_files.load_results(run_dir)[1].set_index('client_id', drop=False)
  values: dict[str, Any] = {n: tuple(v) if isinstance(v, list) else v for n, v in hparams.items()}
  config = config_lib.AdaptConfig(**{n: v for n, v in values.items() if n != 'source'})
  folder = config.from_run or ''
  if not os.path.exists(folder):
    # Both may have moved, as parts of an advice.
    folder = os.path.join(os.path.dirname(os.path.abspath(run_dir)), os.path.basename(folder))
  source = trained_run.load_trained_run(folder, data_dir or config.data_dir)
  inputs, started = source.config.input_options, adapting.with_start(config, source)

  def load(client_id: str) -> export.ClientModel:
    client = export.find_client(source.federated_data, client_id)
    if client_id not in table.index:
      raise ValueError(f'--client is {client_id}, which was not adapted in {run_dir}.')
    row = table.loc[client_id]
    name = row[metric_names.BEST_NAME]
    weights = (source if name == metric_names.FEDERATED else started).weights[client]
    if name != metric_names.FEDERATED and row[metric_names.epoch(name)] > 0:
      if not adaptation_lib.ADAPTATIONS[name].trains:
        raise ValueError(
          f'The adapted model of {client_id} is by {name}, which needs its training examples: it '
          'cannot be exported.'
        )
      evaluator = adaptation_work.ModelEvaluator(source)
      work = adaptation_work.AdaptationWork(name, config, started, evaluator)
      setting = _find_setting(work.settings, row, name)
      (output,) = work.adapt_to_epoch(
        np.array([client]), setting, int(row[metric_names.epoch(name)])
      )
      weights = output.weights
    found = export.with_weights(
      f'{source.config.method}, {name}',
      inputs,
      source.federated_data,
      source.federated_data.clients[client],
      source.model,
      weights,
      row.to_dict(),
    )
    return _checked(found, run_dir, f'{metric_names.BEST}/')

  return load


def _find_setting(settings: tuple[dict[str, float], ...], row: pd.Series, name: str) -> int:
  of_client = [all(row[f'{name}/{n}'] == v for n, v in setting.items()) for setting in settings]
  return of_client.index(True)


def _as_network(affine: simple_models.Affine, shape: tuple[int, ...]) -> tf.keras.Model:
  network = tf.keras.Sequential(
    [
      tf.keras.layers.InputLayer(shape),
      tf.keras.layers.Flatten(),
      tf.keras.layers.Normalization(mean=affine.mean, variance=np.square(affine.scale)),
      tf.keras.layers.Dense(len(affine.bias), name='output'),
    ]
  )
  network.get_layer('output').set_weights([affine.kernel, affine.bias])
  return network


def _checked(model: export.ClientModel, run_dir: str, prefix: str = '') -> export.ClientModel:
  """Returns the model if its score on the client's test data is that of the run.

  Raises:
    ValueError: it is not; one sentence.
  """
  metric, test = model.inputs.model_metrics[0], model.client.test
  expected = model.row.get(f'{prefix}{metric_names.local_test(metric)}', np.nan)
  if not len(test) or not scores.predicts_all(model.federated_data) or np.isnan(expected):
    return model
  objective = model.federated_data.objective
  found = exact.score(objective, (metric,), model.predict(test.x), test.y)[metric]
  if not np.isclose(found, expected, rtol=1e-3, atol=1e-6):
    raise ValueError(
      f'The model of {model.client.client_id}, trained again, has {metric} {found:g}, expected '
      f'{expected:g} as in {run_dir}: export it on the machine and with the packages of the run.'
    )
  return model
