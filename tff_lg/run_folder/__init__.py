"""Run folders: who may write one, what it was made with, and its files.

Comes in: configs, summaries and tables. Goes out: files that are whole or not there, and an error
of one sentence where a folder does not fit. May import: `tff_lg.config`, `tff_lg.sweeps`,
`tff_lg.training`, `tff_lg.verdicts`.
"""
