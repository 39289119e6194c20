import { expect, test } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { createDeferred } from '../../core/deferred.ts';
import type { Event } from '../../core/events.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { EventWriter } from './event-writer.ts';

const EVENT = { seq: 1, at: 0, type: 'run_cancelled' } as Event;
const writing = (append: () => Promise<Outcome<void>>, holds?: () => Promise<boolean>): EventWriter =>
  new EventWriter({ append, close: async () => {}, ...(holds ? { holds } : {}) }, () => {});

test('a write that is on its way beside a slow log is no reason to do nothing to files', async () => {
  verifies('B12');
  const { promise, resolve } = createDeferred<Outcome<void>>();
  const writer = writing(() => promise);
  const written = writer.write(EVENT);
  expect(writer.isBehind).toBe(true);
  expect(await writer.holds()).toBe(true);
  resolve(succeed(undefined));
  await written;
  expect(await writer.holds()).toBe(true);
});

test.each<[string, boolean, EventWriter]>([
  ['the log cannot be written', false, writing(async () => failure('io_error', 'full'))],
  [
    'another process has the session',
    false,
    writing(
      async () => succeed(undefined),
      async () => false,
    ),
  ],
  [
    'nobody can say whether',
    false,
    writing(
      async () => succeed(undefined),
      () => Promise.reject(new Error('away')),
    ),
  ],
  [
    'it is its own',
    true,
    writing(
      async () => succeed(undefined),
      async () => true,
    ),
  ],
  ['it is its own as long as it lives', true, writing(async () => succeed(undefined))],
])('what is held where %s: %s', async (_, isHeld, writer) => {
  verifies('B12');
  await writer.write(EVENT);
  expect(await writer.holds()).toBe(isHeld);
});
