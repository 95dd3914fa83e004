"""One more round: the mean of clients' adapted models, scored beside the federated model."""

import numpy as np

from tff_lg import adaptation as adaptation_lib
from tff_lg import config as config_lib
from tff_lg.simulation import adaptation_work, trained_run
from tff_lg.simulation.parts import Arrays


def aggregate_adapted(
  config: config_lib.AdaptConfig,
  source: trained_run.TrainedRun,
  clients: np.ndarray,
  work: adaptation_work.AdaptationWork,
  curves: np.ndarray,
  num_validation: np.ndarray,
  epochs: int,
) -> Arrays:
  """Aggregates models that clients have adapted for some epochs.

  Args:
    config: resolved.
    source: the run whose clients are adapted, all from one model.
    clients: int [n], indices of those that are adapted; all are scored, those that were held out
      of training send nothing.
    work: the adaptation.
    curves: as in `adapting.Adapted`; the setting is the one that is best after these epochs on the
      validation data of all clients that send.
    num_validation: the same.
    epochs: how many, of each client.

  Returns:
    `setting`, an index; `local_test/accuracy` and, but of sequences, `participant_test/accuracy`,
    float64 [n], of the one mean model on each client's data. Clients count by examples or alike,
    as in the source run.

  Yu et al. 2020, appendix A.
  """
  sends = ~is_held_out(source)[clients]
  setting = int(
    adaptation_lib.choose(
      curves[sends, :, epochs // config.evaluate_every_epochs].T,
      num_validation[sends],
      per_client=False,
      maximize=config.selection_metric != 'loss',
    ).setting[0]
  )
  client_weight = np.ones(sends.sum(), np.float32)
  if source.config.client_weighting == 'examples':
    client_weight = source.clients['num_train'].to_numpy(np.float32)[clients[sends]]
  mean = work.aggregate(clients[sends], setting, epochs, client_weight)
  return {'setting': np.array(setting), **work.evaluate(clients, [mean] * len(clients))}


def is_held_out(source: trained_run.TrainedRun) -> np.ndarray:
  """Which clients of a run were held out of its training, bool [num_clients]."""
  if 'is_held_out' not in source.clients:
    return np.zeros(len(source.clients), bool)
  return source.clients['is_held_out'].to_numpy(bool)
