"""Notes beside an epsilon: what it does not cover, and what it assumes."""

from tff_lg import config as config_lib
from tff_lg import metric_names, tasks


def privacy_warnings(task: config_lib.TaskOptions) -> dict[str, str]:
  """Says what the server sends out that is a function of private data without noise.

  Args:
    task: of a private run, resolved.

  Returns:
    A sentence each, by its name in the summary.
  """
  return {
    metric_names.privacy_warning(derived.name): (
      f"{derived.text} is computed from the clients' private training data without noise: epsilon "
      'does not cover it.'
      + (f' Give it by --{derived.option}, from public knowledge.' if derived.option else '')
    )
    for derived in tasks.TASKS[task.task].derived
    if derived.option is None or getattr(task, derived.option) is None
  }


def privacy_notes(
  task: config_lib.TaskOptions,
  method: config_lib.MethodOptions,
  selection: config_lib.SelectionOptions,
  *,
  secure_noise: bool,
) -> dict[str, str]:
  """Says what else an epsilon does not cover, and what it assumes.

  Args:
    task: of a private run, resolved.
    method: of the run.
    selection: of the run.
    secure_noise: whether the noise is not drawn from the seed.

  Returns:
    Sentences by their name in the summary.
  """
  derived = tasks.TASKS[task.task].derived
  public = ['the number of clients']
  if not derived:
    public.append('the shape and the classes of examples')
  else:
    options = [each.option for each in derived if each.option is not None]
    public += [f'--{option}' for option in options if getattr(task, option) is not None]
  notes = {
    metric_names.not_covered('metrics'): (
      "Losses, accuracies and all other metrics are computed on the clients' data and released "
      'without noise.'
    ),
    metric_names.assumed('server'): (
      'The server is trusted: it sums clipped updates and adds the noise.'
    ),
    metric_names.assumed('noise'): _noise(secure_noise),
    metric_names.assumed('local_weights'): 'Weights that stay local are seen by their client only.',
    metric_names.assumed('public'): f'Taken for public knowledge: {", ".join(public)}.',
    metric_names.assumed('other_runs'): (
      'Nothing but this run is released: epsilons of other runs on the same clients, its baselines '
      'among them, add up.'
    ),
  }
  if _chooses_round(method, selection):
    part = 'test' if selection.choices.choose_by == metric_names.LOCAL_TEST else 'validation'
    notes[metric_names.not_covered('best_round')] = (
      f"The best round is chosen on the clients' private {part} data without noise."
    )
  for name in ('warm_start_until', 'rounds_until'):
    if (goal := getattr(selection, name)) is not None:
      notes[metric_names.not_covered(name)] = (
        f"--{name}={goal} looks at the clients' private data without noise."
      )
  if selection.early_stopping_rounds is not None:
    notes[metric_names.not_covered('early_stopping')] = (
      "Early stopping looks at the clients' private validation data without noise. Epsilon is that "
      'of all rounds, whether they were run or not.'
    )
  return notes


def _noise(secure_noise: bool) -> str:
  if secure_noise:
    return (
      'A secret of the operating system is mixed into the noise; cohorts follow from --seed, which '
      'stays secret. The generator is not a cryptographic one.'
    )
  return 'Noise and cohorts follow from --seed, which stays secret.'


def _chooses_round(
  method: config_lib.MethodOptions, selection: config_lib.SelectionOptions
) -> bool:
  """Returns whether a phase whose models are chosen is evaluated in more rounds than its last."""
  ends = [(method.warm_start_rounds, method.total_rounds)]
  if selection.choices.start_from == 'best':
    ends.append((0, method.warm_start_rounds))
  return any(
    (end - 1) // selection.evaluate_every > start // selection.evaluate_every for start, end in ends
  )
