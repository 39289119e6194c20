import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { CLUSTER_LIMITS } from './limits.ts';
import { Outage } from './outage.ts';

type Step = 'broke' | 'refused' | 'worked' | number;
const AWAY = 'the database is away (no socket); what needs it waits and is tried again';
const ROWS: [what: string, steps: Step[], told: string[], isShaky: boolean][] = [
  ['nothing happens', ['worked', 1000, 'worked'], [], false],
  ['one connection breaks', ['broke', 'worked'], [], false],
  ['one connection broke just now', ['broke'], [], true],
  ['it goes away', ['broke', 'refused', 500, 'refused', 'broke', 'refused'], [AWAY], true],
  [
    'it comes back',
    ['refused', 44_800, 'refused', 'worked', 'worked'],
    [AWAY, 'the database is back after 45 s'],
    false,
  ],
  [
    'it comes and goes',
    ['refused', 2000, 'worked', 10, 'refused', 5000, 'worked', 10, 'refused', 10, 'worked'],
    [AWAY, 'the database is back after 2 s'],
    false,
  ],
  [
    'it goes away again later',
    ['refused', 2000, 'worked', CLUSTER_LIMITS.workerSayAgainMs, 'refused'],
    [AWAY, 'the database is back after 2 s', AWAY],
    true,
  ],
];
test.each(ROWS)(
  'whoever runs a worker reads once that the database is away, and once that it is back: %s',
  (...row) => {
    verifies('B12');
    const [, steps, said, isShaky] = row;
    const told: string[] = [];
    let now = 0;
    const outage = new Outage(
      (text) => told.push(text),
      () => now,
    );
    for (const step of steps) {
      if (typeof step === 'number') now += step;
      else if (step === 'refused') outage.refused('no socket');
      else outage[step]();
    }
    expect([told, outage.isShaky]).toEqual([said, isShaky]);
  },
);
