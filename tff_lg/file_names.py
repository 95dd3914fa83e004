"""Names of files and folders in what runs, sweeps and comparisons of runs write."""

# The settings of a run: its flags by name, and as a flag file.
HPARAMS = 'hparams.json'
FLAGS = 'flags.txt'
# What a run found, written last.
SUMMARY = 'summary.json'
TIMING = 'timing.json'
# CRCs of the files of a finished run, and the lock of one that is being written.
CHECKSUMS = 'checksums.json'
LOCK = 'lock'
# Metrics and traffic by round.
METRICS = 'metrics.csv'
COMMUNICATION = 'communication.csv'
# Clients, one in a row; those that took part in no round; the classes of each.
CLIENTS = 'clients.parquet'
CLIENTS_TEXT = 'clients.csv'
HELD_OUT_CLIENTS = 'held_out_clients.parquet'
# How clients' models scored in each evaluation.
CLIENT_CURVES = 'client_curves.parquet'
LABEL_COUNTS = 'label_counts.csv'
# What the run began with: its clients, and the layers of its network.
CLIENT_LIST = 'client_list.json'
MODEL_SPLIT = 'model_split.txt'
TABLE_ENCODING = 'table_encoding.json'
# What a run chose for itself: global layers, a learning rate; and what a resumed run changed.
SPLIT = 'split.json'
TUNING = 'tuning.json'
CHANGES = 'changes.json'
# Of a run that cannot go on.
DIVERGED = 'diverged.json'
# Of a sweep, of runs side by side, of a new client, of adaptation, and of an advice.
SWEEP = 'sweep.json'
RESULTS = 'results.csv'
CURVES = 'curves.csv'
VALIDATION_CURVES = 'validation_curves.csv'
ADVICE = 'advice.csv'
# The page of a run or of several, and their tables for people.
REPORT = 'report.html'
TABLE = 'table.md'
TABLES = 'tables.md'
# Of methods side by side, and of rules by their worst attack.
LEADERBOARD = 'leaderboard.csv'
LEADERBOARD_PAGE = 'leaderboard.html'
ROBUSTNESS = 'robustness.csv'
# Figures over rounds of runs side by side.
ROUNDS = 'rounds.csv'
# Of exported models: their list, and what is known of one.
MODELS = 'models.csv'
ABOUT = 'about.json'

# Folders: what a stopped run resumes from, runs of baselines and of a sweep, parts of a result.
CHECKPOINTS = 'checkpoints'
BASELINES = 'baselines'
TRIALS = 'trials'
PARTS = 'parts'
FIGURES = 'figures'
TENSORBOARD = 'tensorboard'
