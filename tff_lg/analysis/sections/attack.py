"""The effect of an attack on the run."""

from tff_lg import metric_names
from tff_lg.analysis import formats, markup
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections.section import Section, values_table

_NOTE = (
  'Backdoor success: share of the test images that are not of the target class and, with the '
  'trigger, are taken for it. Comparisons client by client leave the malicious clients out.'
)

_HONEST = metric_names.honest(metric_names.mean(metric_names.LOCAL_ACCURACY))
_LABELS = {
  metric_names.MALICIOUS_SHARE: 'share of malicious clients',
  metric_names.honest(
    metric_names.mean(metric_names.LOCAL_ACCURACY)
  ): 'local test accuracy, mean over honest clients',
  metric_names.BACKDOOR_SUCCESS: 'backdoor success',
}


def build_attack(run: RunFolder) -> Section | None:
  """Returns the attack, who made it and what came of it; None for a run without one."""
  if metric_names.ATTACK_NAME not in run.summary:
    return None
  values: dict[str, float | str] = {'attack': _words(str(run.summary[metric_names.ATTACK_NAME]))}
  for name in (
    metric_names.MALICIOUS_SHARE,
    metric_names.honest(metric_names.mean(metric_names.LOCAL_ACCURACY)),
    metric_names.BACKDOOR_SUCCESS,
  ):
    if name in run.summary:
      values[_LABELS[name]] = f'{formats.percent(run.value(name))} %'
  if metric_names.IS_MALICIOUS in run.clients:
    values['malicious clients'] = formats.count((run.clients[metric_names.IS_MALICIOUS] > 0).sum())
  shown = {metric_names.ATTACK_NAME, *_LABELS}
  values.update(
    {
      _words(name.replace('/', ' ')): value
      for name, value in run.summary.items()
      if name.startswith(metric_names.ATTACK) and name not in shown
    }
  )
  html = values_table(values) + '\n' + markup.fill('paragraph', _NOTE, 'note')
  return Section('attack', 'Attack', html)


def _words(name: str) -> str:
  return name.replace('_', ' ')
