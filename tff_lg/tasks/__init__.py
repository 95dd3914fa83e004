"""Tasks: what a run trains on, each with its data, its network and its options.

Comes in: a resolved `TrainConfig`. Goes out: `FederatedData` and a `LocalGlobalModel`. May import:
`tff_lg.data`, `tff_lg.models`, `tff_lg.embeddings`, `tff_lg.training`.
"""
