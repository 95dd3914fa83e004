"""A suite of robustness for tests."""

from tff_lg import suites

RULES = (
  suites.RobustRule(name='mean', label='Mean', aggregator='mean'),
  suites.RobustRule(
    name='bulyan', label='Bulyan', aggregator='bulyan', mixings=('nearest_neighbours',)
  ),
)
SUITE = suites.RobustnessEntry(
  name='mine',
  label='Mine',
  data='nothing',
  flags={'task': 'digits', 'client_steps': '3'},
  fast_flags={'num_clients': '5', 'client_steps': '1'},
  adapt_flags={'epochs': '2'},
  own_flags={'local_only_epochs': '7'},
  num_clients=7,
  byzantine=(1, 2),
  similarities=(1.0, 0.5),
  rules=RULES,
  attacks=('a', 'b'),
  fast_size=(1, 1, 1),
  axes=(suites.SearchAxis('client_learning_rate', (1, 2), 1, grows=False),),
  num_repeats=2,
  rounds=1,
)
