"""Experiments that are more than one run: fair representations, XOR, and a new device.

Comes in: a config of the experiment. Goes out: its run folder. May import:
`tff_lg.personalization`. Nothing is exported here: `fair_config` is read without TensorFlow.
"""
