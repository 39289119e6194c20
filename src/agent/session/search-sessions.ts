/** The sessions in which words were said, wherever it is asked from. */

import type { Event } from '../../core/events.ts';
import { setAsideIn } from '../../core/set-aside.ts';
import type { OnReading, SessionStore, SessionSummary } from '../../core/storage-port.ts';
import { spoken, type TranscriptEntry, transcriptOf } from '../../core/transcript.ts';
import { AGENT_LIMITS } from '../limits.ts';

type Listed = readonly Pick<SessionSummary, 'id' | 'updated_at'>[];
export type SessionHit = {
  id: string;
  updated_at: number;
  role: string;
  excerpt: string;
  count: number;
  /** It stands on ways that were set aside alone: before an edit, behind a place that was returned to. */
  set_aside?: true;
};
type Found = Omit<SessionHit, 'id' | 'updated_at'>;

/** On the way that counts, and where it is not there, on those that were set aside. */
const findIn = (events: readonly Event[], words: readonly string[]): Found | undefined => {
  const found = findAmong(transcriptOf(events), words);
  if (found) return found;
  const aside = findAmong(setAsideIn(events), words);
  return aside && { ...aside, set_aside: true };
};

/** The first place in which every word stands, and how many there are. */
const findAmong = (entries: readonly TranscriptEntry[], words: readonly string[]): Found | undefined => {
  let first: Omit<Found, 'count'> | undefined;
  let count = 0;
  for (const { role, text: whole } of spoken(entries)) {
    const text = whole.replaceAll(/\s+/g, ' ');
    const lower = text.toLowerCase();
    if (!words.every((word) => lower.includes(word))) continue;
    count += 1;
    if (first) continue;
    const at = Math.max(0, lower.indexOf(words[0] ?? '') - AGENT_LIMITS.searchExcerptCharacters / 2);
    const excerpt = text.slice(at, at + AGENT_LIMITS.searchExcerptCharacters).toWellFormed();
    const [before, after] = [at > 0 ? '…' : '', at + excerpt.length < text.length ? '…' : ''];
    first = { role, excerpt: `${before}${excerpt}${after}` };
  }
  return first && { ...first, count };
};

export const wordsOf = (query: string): string[] =>
  query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

/**
 * In the order of the list; a session that cannot be read is passed over. A list that is still under way is waited for:
 * the store looks at its files once for both.
 */
export const searchSessions = async (
  store: SessionStore,
  sessions: Listed | Promise<Listed>,
  words: readonly string[],
  { limit = Number.POSITIVE_INFINITY, onReading }: { limit?: number; onReading?: OnReading } = {},
): Promise<SessionHit[]> => {
  const [listed, maybe] = await Promise.all([sessions, store.holding?.(words, onReading)]);
  const holding = maybe?.ok ? maybe.value : undefined;
  const asked = listed.filter(({ id }) => holding === undefined || holding.has(id));
  const hits: SessionHit[] = [];
  for (let from = 0; from < asked.length && hits.length < limit; from += AGENT_LIMITS.searchReadAtOnce) {
    const part = asked.slice(from, from + AGENT_LIMITS.searchReadAtOnce);
    const found = await Promise.all(
      part.map(async ({ id, updated_at }) => {
        const read = await store.read(id);
        const place = read.ok ? findIn(read.value.events, words) : undefined;
        return place && { id, updated_at, ...place };
      }),
    );
    hits.push(...found.filter((hit) => hit !== undefined));
  }
  return hits.slice(0, limit);
};
