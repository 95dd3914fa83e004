"""Training: the loop over rounds, and what happens in and after a round.

Comes in: processes of `tff_lg.learning`, clients' tensors, and cohorts. Goes out: the trained
state, with metrics and checkpoints in the run folder. May import: `tff_lg.learning`,
`tff_lg.models`, `tff_lg.data`, `tff_lg.client_states`, `tff_lg.config`.
"""
