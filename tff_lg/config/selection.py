"""When and by which clients models are evaluated and chosen, and when a run stops early."""

import dataclasses

from tff_lg.config import common, ending, metric_options, task
from tff_lg.config.option import option


@dataclasses.dataclass(frozen=True)
class SelectionOptions(ending.EndingOptions, metric_options.MetricOptions, common.CommonOptions):
  """The evaluations and what they decide; None stands for a default or for never."""

  evaluate_every: int = option(10, 'Rounds between evaluations of all clients.')
  early_stopping_rounds: int | None = option(
    None,
    'The rounds of the method end once the mean over clients of --selection_metric on validation '
    'data has not improved for so many rounds, as seen every --evaluate_every rounds; the warm '
    'start has all of its rounds. Each baseline ends by itself. Never by default.',
  )
  max_evaluated_clients: int | None = option(
    None,
    'Clients that are evaluated, and by which models are chosen, at most: the same ones in each '
    'round, drawn from the seed. Others keep their newest model, or that of the round chosen for '
    'all. All by default, and for 0.',
  )
  goal_accuracy: tuple[float, ...] | None = option(
    None,
    'Accuracies, or values of the main metric, of which the summary says after how many rounds, '
    "and how many parameters and bytes sent, the clients' pooled test examples first reached them; "
    'none by default.',
  )
  selection_scope: str | None = option(
    None,
    'Whether a client with local weights has a best round of its own, or all clients the one '
    'that is best on their pooled examples; '
    f'{task.say_default(lambda entry: entry.selection_scope)}.',
    ('client', 'pooled'),
  )
