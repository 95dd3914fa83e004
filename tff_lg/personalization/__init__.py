"""Personalization: local adaptation of a finished run's models, client by client.

Comes in: an `AdaptConfig` and a finished run. Goes out: a run folder with what each technique gives
each client. May import: `tff_lg.adaptation`, `tff_lg.own_models`, `tff_lg.simulation`.
"""

from tff_lg.personalization.adaptation_run import run_adaptation

__all__ = ['run_adaptation']
