"""Small programs of TensorFlow Federated by module, each with the value that it has to give.

  python -m benchmarks.tff_programs

In comes a runtime; out goes which of TFF's modules work on it, and how long first calls take. TFF's
release has no tests, so these stand in for them. A program imports `tff_lg.compatibility` and
nothing else of the project, so that it is what a user of TFF would write.
"""
