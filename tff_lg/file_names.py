"""Names of the files in the folders of runs, of sweeps and of what is made of several runs."""

# The settings of a run: its flags by name, and as a flag file.
HPARAMS = 'hparams.json'
FLAGS = 'flags.txt'
# What a run found, written last.
SUMMARY = 'summary.json'
TIMING = 'timing.json'
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
# Of a run that cannot go on.
DIVERGED = 'diverged.json'
# Of a sweep, of runs side by side, of a new client, and of an advice.
SWEEP = 'sweep.json'
RESULTS = 'results.csv'
CURVES = 'curves.csv'
ADVICE = 'advice.csv'
