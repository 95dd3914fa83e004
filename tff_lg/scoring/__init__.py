"""Scores: what trained models give each client, and a run's summary of it.

Comes in: a trained state and clients' tensors. Goes out: a table with one row per client, and the
values of `summary.json`. May import: `tff_lg.inputs`, `tff_lg.verdicts`.
"""
