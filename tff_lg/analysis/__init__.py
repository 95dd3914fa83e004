"""Tables, figures and the report of a run, and of a sweep of runs.

Comes in: the folder of a run (`RunFolder`), a sweep (`SweepResults`), an adaptation run
(`AdaptationFolder`) or a new-device run (`NewDeviceFolder`). Each class reads and checks its
folder. Goes out: tables as text, Markdown or HTML, Matplotlib figures, and `report.html`, one
self-contained page made of `sections`. May import: pandas, NumPy, SciPy, Matplotlib, Jinja; what
needs no TensorFlow in `tff_lg.adaptation`, `tff_lg.aggregators`, `tff_lg.config`, `tff_lg.data`,
`tff_lg.heterogeneity`, `tff_lg.run_folder`, `tff_lg.verdicts`. So it starts fast and reads any run.
"""

from tff_lg.analysis.adaptation_folder import AdaptationFolder
from tff_lg.analysis.adaptation_report import adaptation_text, write_adaptation_report
from tff_lg.analysis.advise_report import advise_text, write_advise_report
from tff_lg.analysis.client_comparison import (
  AccuracyComparison,
  ClientSpread,
  compare_accuracies,
  describe_clients,
  gini,
)
from tff_lg.analysis.compared_runs import ComparedRuns, compare_runs
from tff_lg.analysis.comparison_tables import (
  comparison_report,
  comparison_table,
  run_differences_table,
)
from tff_lg.analysis.final_metrics import FinalMetrics
from tff_lg.analysis.goal_table import goal_table
from tff_lg.analysis.leaderboard import write_leaderboard
from tff_lg.analysis.leaderboard_folders import compare_folders
from tff_lg.analysis.new_device import (
  NewDeviceFolder,
  new_device_table,
  new_device_text,
  write_new_device_report,
)
from tff_lg.analysis.paired import PairedComparison, compare_clients
from tff_lg.analysis.report import save_figures, write_report
from tff_lg.analysis.robustness import write_robustness
from tff_lg.analysis.run_folder import RunFolder, RunFolderError
from tff_lg.analysis.run_pages import RunPage, find_page
from tff_lg.analysis.run_set import RunSet
from tff_lg.analysis.run_set_report import write_run_set
from tff_lg.analysis.sections import sections_comparing
from tff_lg.analysis.sweep_folder import SweepResults
from tff_lg.analysis.sweep_report import points_table, write_sweep
from tff_lg.analysis.synthetic import write_synthetic_run_folder
from tff_lg.analysis.synthetic_adaptation import write_synthetic_adaptation_folder
from tff_lg.analysis.tables import (
  Table,
  comparison_text,
  methods_table,
  paired_table,
  to_html,
  to_markdown,
  to_text,
)

__all__ = [
  'AccuracyComparison',
  'AdaptationFolder',
  'ClientSpread',
  'ComparedRuns',
  'FinalMetrics',
  'NewDeviceFolder',
  'PairedComparison',
  'RunFolder',
  'RunFolderError',
  'RunPage',
  'RunSet',
  'SweepResults',
  'Table',
  'adaptation_text',
  'advise_text',
  'compare_accuracies',
  'compare_clients',
  'compare_folders',
  'compare_runs',
  'comparison_report',
  'comparison_table',
  'comparison_text',
  'describe_clients',
  'find_page',
  'gini',
  'goal_table',
  'methods_table',
  'new_device_table',
  'new_device_text',
  'paired_table',
  'points_table',
  'run_differences_table',
  'save_figures',
  'sections_comparing',
  'to_html',
  'to_markdown',
  'to_text',
  'write_adaptation_report',
  'write_advise_report',
  'write_leaderboard',
  'write_new_device_report',
  'write_report',
  'write_robustness',
  'write_run_set',
  'write_sweep',
  'write_synthetic_adaptation_folder',
  'write_synthetic_run_folder',
]
