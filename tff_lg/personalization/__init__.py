"""Personalization: local adaptation of a finished run's models, client by client.

Comes in: an `AdaptConfig` and a finished run. Goes out: a run folder with what each technique gives
each client, and the model of each client of any finished run (`load_result`). May import:
`tff_lg.simulation`.
"""

from tff_lg.personalization.adaptation_run import run_adaptation
from tff_lg.personalization.result import Result, load_result

__all__ = ['Result', 'load_result', 'run_adaptation']
