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
    'data has not improved for this many rounds. It is checked every --evaluate_every rounds. The '
    'warm start has all of its rounds. Each baseline ends independently. Never by default.',
  )
  max_evaluated_clients: int | None = option(
    None,
    'Largest number of clients that are evaluated and that choose models: the same ones in each '
    'round, drawn from the seed. Others keep their newest model, or that of the round chosen for '
    'all. All by default, and for 0.',
  )
  score_on_others: bool = option(
    False,
    "After training, score each client's model on the pooled test data of all other evaluated "
    'clients, too: others_test/... in the summary and the table of clients. The cost is one '
    'prediction per client and example; pooled data are in memory. Adapted models '
    'of the run are scored in the same way.',
  )
  goal_accuracy: tuple[float, ...] | None = option(
    None,
    'Target accuracies, or values of the main metric. The summary has the rounds, and the '
    "parameters and bytes sent, until the clients' pooled test examples first reach them; none by "
    'default.',
  )
  selection_scope: str | None = option(
    None,
    'client: each client with local weights has a best round of its own; pooled: all clients have '
    'the round that is best on their pooled examples; '
    f'{task.say_default(lambda entry: entry.selection_scope)}.',
    ('client', 'pooled'),
  )
