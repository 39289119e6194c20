/** Which sessions are found, over every store that narrows a search down and none. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { Event } from '../../core/events.ts';
import { succeed } from '../../core/outcome.ts';
import type { SessionStore } from '../../core/storage-port.ts';
import { searchSessions, wordsOf } from './search-sessions.ts';

type Said = { id: string; title: string; said: readonly string[] };
const SESSIONS: readonly Said[] = [
  { id: 'apart', title: '', said: ['rich please', 'longcmd for it'] },
  { id: 'together', title: '', said: ['other', 'a rich longcmd', 'again rich longcmd'] },
  { id: 'half', title: '', said: ['rich alone'] },
  { id: 'titled', title: 'Rich cakes', said: ['the longcmd'] },
  { id: 'only-title', title: 'rich longcmd', said: ['nothing of it'] },
];

const eventsOf = ({ said }: Said): Event[] =>
  said.map((content, index) => ({ type: 'user_message_added', seq: index + 1, at: 0, content }));

/** `narrows`: it knows what stands in which place, as a database of events does, or in which session, as the index of files. */
const storeOf = (narrows: 'places' | 'sessions' | 'nothing'): SessionStore => {
  const read: SessionStore['read'] = async (id) =>
    succeed({ events: eventsOf(SESSIONS.find((each) => each.id === id) as Said), warnings: [] });
  const holds = (texts: readonly string[], words: readonly string[]): boolean =>
    texts.some((text) => words.every((word) => text.toLowerCase().includes(word)));
  const holding: NonNullable<SessionStore['holding']> = async (words) =>
    succeed(
      narrows === 'nothing'
        ? undefined
        : new Set(
            SESSIONS.filter(({ said }) => holds(narrows === 'places' ? said : [said.join('\n')], words)).map(
              ({ id }) => id,
            ),
          ),
    );
  return { read, holding } as unknown as SessionStore;
};

const LISTED = SESSIONS.map(({ id, title }) => ({ id, title, updated_at: 0 }));

describe('a search of sessions', () => {
  for (const narrows of ['places', 'sessions', 'nothing'] as const) {
    it.each([
      ['rich longcmd', ['apart', 'together', 'titled']],
      ['longcmd rich', ['apart', 'together', 'titled']],
      ['rich', ['apart', 'together', 'half']],
      ['rich rich', ['apart', 'together', 'half']],
      ['rich nowhere', []],
      ['cakes longcmd', ['titled']],
      ['please longcmd for rich it', ['apart']],
    ] as const)(
      `finds the words of %j wherever they were said in one session, where the store knows ${narrows}`,
      async (query, ids) => {
        verifies('U1');
        const hits = await searchSessions(storeOf(narrows), LISTED, wordsOf(query));
        expect(hits.map(({ id }) => id)).toEqual(ids);
      },
    );
  }

  it('shows the first of the places that hold most of the words, and how many do', async () => {
    const hits = await searchSessions(storeOf('nothing'), LISTED, wordsOf('rich longcmd'));
    expect(hits.map(({ excerpt, count }) => [excerpt, count])).toEqual([
      ['rich please', 2],
      ['a rich longcmd', 2],
      ['the longcmd', 1],
    ]);
  });
});
