"""Tests of what a round costs a client."""

import dataclasses
import math

from absl.testing import absltest

from tff_lg import analysis
from tff_lg.analysis import client_costs, formats, leaderboard_runs
from tff_lg.analysis.run_folder import RunFolder


class ClientCostsTest(absltest.TestCase):
  def test_flops_are_those_of_an_example_times_examples_per_client_and_round(self):
    folder = self.create_tempdir().full_path
    analysis.write_synthetic_run_folder(folder)
    run = RunFolder.load(folder)
    self.assertTrue(math.isnan(client_costs.flops_per_round(run)))
    metrics = run.metrics.assign(**{'train/num_examples': 60.0, 'train/num_clients': 4.0})
    summary = {**run.summary, 'client/flops_per_example': 170.0, 'client/memory_bytes': 856.0}
    run = dataclasses.replace(run, metrics=metrics, summary=summary)
    self.assertEqual(client_costs.flops_per_round(run), 170 * 15)
    self.assertEqual(client_costs.memory_bytes(run), 856)
    scores = leaderboard_runs.score_run(run)
    self.assertEqual((scores.flops, scores.memory_bytes), (170 * 15, 856))

  def test_text(self):
    found = [formats.flops(number) for number in (12, 2550, 3.25e9, math.nan)]
    self.assertEqual(found, ['12 FLOP', '2.5 kFLOP', '3.2 GFLOP', formats.MISSING])


if __name__ == '__main__':
  absltest.main()
