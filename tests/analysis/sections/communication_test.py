"""Tests of the traffic by phase."""

import pandas as pd
from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis.sections import communication


class CommunicationTest(absltest.TestCase):
  def test_sums_by_phase(self):
    table = pd.DataFrame(
      {
        'method': ['fedavg', 'lg_fedavg', 'lg_fedavg'],
        'parameters_down': [100.0, 10.0, 10.0],
        'parameters_up': [50.0, 5.0, 5.0],
        'bytes_down': [400.0, 40.0, 40.0],
        'bytes_up': [200.0, 20.0, 20.0],
      }
    )
    html = communication.build_communication(testing.make_run(communication=table)).html
    cells = '<td>2</td><td>20</td><td>10</td><td>80 B</td><td>40 B</td>'
    self.assertIn(f'<tr><th scope="row">LG-FedAvg</th>{cells}</tr>', html)
    self.assertLess(html.index('FedAvg</th><td>1<'), html.index('LG-FedAvg</th>'))

  def test_broadcast_to_all(self):
    columns = ('parameters_down', 'parameters_up', 'bytes_down', 'bytes_up')
    run = testing.make_run(
      communication=pd.DataFrame({'method': ['fedavg'], **dict.fromkeys(columns, [1.0])}),
      summary={
        'communication/broadcast_to_all/parameters_total': 2.9e10,
        'communication/broadcast_to_all/bytes_total': 1.16e11,
      },
    )
    html = communication.build_communication(run).html
    self.assertIn('as the LG-FedAvg paper counts: 2.90e10 parameters, 116.0 GB.', html)

  def test_figure_alone(self):
    section = communication.build_communication(testing.make_run())
    self.assertEqual(section.html, '')
    self.assertLen(section.illustrations, 1)

  def test_nothing_recorded(self):
    run = testing.make_run(metrics=testing.make_run().metrics[['train/loss']])
    self.assertIsNone(communication.build_communication(run))


if __name__ == '__main__':
  absltest.main()
