"""The inputs of a run: the data, the model and the held-out clients of a config.

Comes in: the `InputOptions` of a resolved config. Goes out: `FederatedData` and a
`LocalGlobalModel`. May import: `tff_lg.config`, `tff_lg.training`.
"""
