import { expect, test } from 'vitest';
import type { Event } from './events.ts';
import { lastOf } from './last-event.ts';

const event = (seq: number, type: string): Event => ({ seq, at: seq, type }) as unknown as Event;

test('is the same as findLast, for logs that grow, shrink, and are changed', () => {
  const last = lastOf('run_cancelled');
  const log: Event[] = [];
  const agrees = (): void => expect(last(log)).toBe(log.findLast(({ type }) => type === 'run_cancelled'));
  agrees();
  for (const [seq, type] of ['x', 'run_cancelled', 'x', 'x', 'run_cancelled', 'x'].entries()) {
    log.push(event(seq, type));
    agrees();
  }
  log.length = 4;
  agrees();
  log.push(event(9, 'x'), event(10, 'x'));
  agrees();
  log.length = 1;
  agrees();
  log.push(event(11, 'run_cancelled'), event(12, 'x'));
  agrees();
});

test('looks at each event once', () => {
  const last = lastOf('run_cancelled');
  let looks = 0;
  const log: Event[] = [];
  for (let seq = 0; seq < 100; seq += 1) {
    log.push(
      Object.defineProperty(event(seq, 'x'), 'type', {
        get: () => {
          looks += 1;
          return 'x';
        },
      }),
    );
    last(log);
  }
  expect(looks).toBe(100);
});
