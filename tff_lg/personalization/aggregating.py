"""One more round: the mean of clients' adapted models, scored beside the federated model."""

import functools

import numpy as np
from absl import logging

from tff_lg import adaptation as adaptation_lib
from tff_lg import config as config_lib
from tff_lg import metric_names, metrics, parts
from tff_lg.config.option import resolved
from tff_lg.personalization import adaptation_work
from tff_lg.scoring import scores
from tff_lg.simulation import trained_run


def aggregate_adapted(
  config: config_lib.AdaptConfig,
  source: trained_run.TrainedRun,
  clients: np.ndarray,
  work: adaptation_work.AdaptationWork,
  curves: np.ndarray,
  num_validation: np.ndarray,
  epochs: int,
  done: parts.Parts,
) -> parts.Arrays:
  """Aggregates models that clients have adapted for some epochs.

  Args:
    config: resolved.
    source: the run whose clients are adapted, all from one model.
    clients: int [n], indices of those that are adapted. All are scored; those that were held out
      of training, or attacked it, send nothing.
    work: the adaptation.
    curves: as in `adapting.Adapted`; the setting is the one that is best after these epochs on the
      validation data of all clients that send.
    num_validation: the same.
    epochs: how many, of each client.
    done: the parts that are done.

  Returns:
    The scores of the one mean model on each client's data, float64 [n] each. They are
    `local_test/...` of each metric and, for plain classes, `participant_test/accuracy`; NaN if no
    client's weights are finite. Clients count by examples where they did in the source run, else
    alike.

  Yu et al. 2020, appendix A.
  """
  sends = ~source.is_held_out[clients]
  if metric_names.IS_MALICIOUS in source.clients:
    sends &= ~source.clients[metric_names.IS_MALICIOUS].to_numpy(bool)[clients]
  setting = int(
    adaptation_lib.choose(
      curves[sends, :, epochs // config.evaluate_every_epochs].T,
      num_validation[sends],
      per_client=False,
      maximize=metrics.sign(resolved(config.selection_metric)) > 0,
    ).setting[0]
  )
  client_weight = np.ones(len(source.clients), np.float32)
  if source.config.client_weighting == 'examples':
    client_weight = source.clients['num_train'].to_numpy(np.float32)
  # A chunk of clients at a time, as their models do not fit into memory all together.
  means = [
    done.compute(
      functools.partial(work.aggregate, chunk, setting, epochs, client_weight[chunk]),
      f'aggregated_{epochs}_{start:06d}',
    )
    for start, chunk in done.chunks(clients[sends])
  ]
  weight = np.array([mean.pop('client_weight') for mean in means])
  if not weight.any():
    logging.warning(
      '--aggregate_epochs: no client has finite weights after %d epochs; lower --learning_rate.',
      epochs,
    )
    return {
      name: np.full(len(clients), np.nan)
      for name in scores.compared_columns(source.model.metric_names)
    }
  share = weight / weight.sum()
  finite = [(part, mean) for part, mean in zip(share, means, strict=True) if part]
  mean = tuple(
    sum(part * of_chunk[name].astype(np.float64) for part, of_chunk in finite).astype(np.float32)
    for name in means[0]
  )
  return done.compute(lambda: work.evaluate(clients, [mean] * len(clients)), f'aggregated_{epochs}')
