"""The inputs of a run: the data, the model and the held-out clients of a config.

Comes in: a resolved `TrainConfig`. Goes out: `FederatedData` and a `LocalGlobalModel`. May import:
`tff_lg.tasks`, `tff_lg.config`, `tff_lg.data`, `tff_lg.models`, `tff_lg.training`.
"""
