"""Client states between rounds: in memory, or on disk in bounded memory.

Comes in: states of clients by round, as `tff_lg.learning` makes them. Goes out: a store that gives
them back, for a checkpoint to the same bits. May import: `tff_lg.learning`.
"""
