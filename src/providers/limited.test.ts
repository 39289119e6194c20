/** Where a request gets no place at its model server, whoever asked hears why, and whether to ask again. */
import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { QUEUE_IS_FULL } from '../core/model-places.ts';
import type { Failure } from '../core/outcome.ts';
import { waitForPlace } from './limited.ts';

test.each<[string, Failure, object, RegExp]>([
  [
    'is full',
    QUEUE_IS_FULL,
    { code: 'rate_limited', status: 429, retry_after_seconds: expect.any(Number) },
    /no place in its queue: \d+ requests wait/,
  ],
  [
    'cannot be reached',
    { error_type: 'io_error', message: 'postgres://db does not answer' },
    { code: 'server_error' },
    /queue .* cannot be reached: postgres:\/\/db does not answer/,
  ],
])('a queue that %s', async (_what, error, as, words) => {
  verifies('B12');
  const places = {
    take: async () => ({ ok: false as const, error }),
    changed: () => {},
    counts: async () => ({ ok: true as const, value: [] }),
  };
  const asked = { servers: () => ['a'], conversation: 'c', signal: new AbortController().signal };
  const outcome = await waitForPlace(places, asked, () => {});
  expect(outcome).toMatchObject({ ok: false, error: { ...as, message: expect.stringMatching(words) } });
});
