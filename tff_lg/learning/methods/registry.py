"""The methods by name."""

from tff_lg import entries
from tff_lg.learning.methods.method import Method

# What `--method` takes, with everything that is known about it.
METHODS: entries.Registry[Method] = entries.Registry('method')
register = METHODS.register
