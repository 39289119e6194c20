import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { CLUSTER_LIMITS } from './limits.ts';
import { Outage } from './outage.ts';

type Step = 'broke' | 'refused' | 'worked' | number | readonly [what: 'stuck' | 'worked', statement: string];
const STUCK = 'the database does not answer in time: a lock; what waits for it is tried again';
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
  [
    'a statement is stuck while others work',
    [['stuck', 'a'], 'worked', 3000, ['stuck', 'a'], ['stuck', 'b'], 'worked', ['worked', 'a'], 1000, ['worked', 'b']],
    [STUCK, 'the database answers again after 4 s'],
    false,
  ],
  ['a statement is stuck', [['stuck', 'a'], 'worked'], [STUCK], true],
  [
    'a statement that was stuck is never sent again',
    [['stuck', 'a'], CLUSTER_LIMITS.workerStuckKnownMs, 'worked', 1, 'worked'],
    [STUCK, 'the database answers again after 60 s'],
    false,
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
      else if (typeof step !== 'string') outage[step[0]](step[1], 'a lock');
      else outage[step]();
    }
    expect([told, outage.isShaky]).toEqual([said, isShaky]);
  },
);
