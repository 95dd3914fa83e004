"""The effect of an attack on the run."""

from tff_lg.analysis import formats, markup, names
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections.section import Section, values_table

_NOTE = (
  'Backdoor success: share of the test images that are not of the target class and, with the '
  'trigger, are taken for it. Comparisons client by client leave the malicious clients out.'
)

_LABELS = {
  names.MALICIOUS_SHARE: 'share of malicious clients',
  names.HONEST_LOCAL_TEST_MEAN: 'local test accuracy, mean over honest clients',
  names.BACKDOOR_SUCCESS: 'backdoor success',
}


def build_attack(run: RunFolder) -> Section | None:
  """Returns the attack, who made it and what came of it; None for a run without one."""
  if names.ATTACK_NAME not in run.summary:
    return None
  values: dict[str, float | str] = {'attack': _words(str(run.summary[names.ATTACK_NAME]))}
  for name in (names.MALICIOUS_SHARE, names.HONEST_LOCAL_TEST_MEAN, names.BACKDOOR_SUCCESS):
    if name in run.summary:
      values[_LABELS[name]] = f'{formats.percent(run.value(name))} %'
  if names.IS_MALICIOUS in run.clients:
    values['malicious clients'] = formats.count((run.clients[names.IS_MALICIOUS] > 0).sum())
  shown = {names.ATTACK_NAME, *_LABELS}
  values.update(
    {
      _words(name.replace('/', ' ')): value
      for name, value in run.summary.items()
      if name.startswith(names.ATTACK) and name not in shown
    }
  )
  html = values_table(values) + '\n' + markup.fill('paragraph', _NOTE, 'note')
  return Section('attack', 'Attack', html)


def _words(name: str) -> str:
  return name.replace('_', ' ')
