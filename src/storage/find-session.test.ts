import { expect, it } from 'vitest';
import type { SessionSummary } from '../core/storage-port.ts';
import { findSession } from './find-session.ts';

const storeOf = (titles: Readonly<Record<string, string>>) => ({
  ids: async () => ({ ok: true as const, value: Object.keys(titles) }),
  list: async () => ({
    ok: true as const,
    value: Object.entries(titles).map(([id, title]) => ({ id, title }) as SessionSummary),
  }),
});

it('lists the sessions that begin so, each with its title', async () => {
  const store = storeOf({ 'abcd-1': 'Mend the tests', 'abcd-2': 'Write the docs', 'other-3': 'Else' });
  expect(await findSession(store, 'abcd')).toMatchObject({
    ok: false,
    error: {
      message: '2 sessions begin with "abcd": abcd-1 (Mend the tests), abcd-2 (Write the docs). Write more of the id.',
    },
  });
});

it('tells how many more there are than it lists', async () => {
  const store = storeOf(Object.fromEntries(Array.from({ length: 14 }, (_, at) => [`abcd-${at}`, ''])));
  const found = await findSession(store, 'abcd');
  expect(JSON.stringify(found)).toMatch(/abcd-9, and 4 more\. Write more of the id/);
});
