/** The sessions in which words were said, wherever it is asked from. */

import type { Event } from '../../core/events.ts';
import { setAsideIn } from '../../core/set-aside.ts';
import type { OnReading, SessionStore, SessionSummary } from '../../core/storage-port.ts';
import { spoken, type TranscriptEntry, transcriptOf } from '../../core/transcript.ts';
import { AGENT_LIMITS } from '../limits.ts';

type Listed = readonly (Pick<SessionSummary, 'id' | 'updated_at'> & { title?: string })[];
export type SessionHit = {
  id: string;
  updated_at: number;
  role: string;
  excerpt: string;
  count: number;
  /** It stands on ways that were set aside, at least in part: before an edit, behind a place that was returned to. */
  set_aside?: true;
};
type Found = Omit<SessionHit, 'id' | 'updated_at'>;
type IsInTitle = (word: string) => boolean;

/** On the way that counts, and where it is not all there, on those that were set aside as well. */
const findIn = (events: readonly Event[], words: readonly string[], isInTitle: IsInTitle): Found | undefined => {
  const entries = transcriptOf(events);
  const found = findAmong(entries, words, isInTitle);
  if (found) return found;
  const setAside = setAsideIn(events);
  const aside = setAside.length === 0 ? undefined : findAmong([...setAside, ...entries], words, isInTitle);
  return aside && { ...aside, set_aside: true };
};

/**
 * The first of the places in which most of the words stand, and how many there are; undefined where a word stands in none of
 * them, and not in the title either.
 */
const findAmong = (
  entries: readonly TranscriptEntry[],
  words: readonly string[],
  isInTitle: IsInTitle,
): Found | undefined => {
  const missing = new Set(words.filter((word) => !isInTitle(word)));
  let best: { role: string; text: string; held: readonly string[]; count: number } | undefined;
  for (const { role, text } of spoken(entries)) {
    const lower = inOneLine(text).toLowerCase();
    const held = words.filter((word) => lower.includes(word));
    for (const word of held) missing.delete(word);
    if (held.length === 0 || held.length < (best?.held.length ?? 0)) continue;
    if (held.length === best?.held.length) best.count += 1;
    else best = { role, text, held, count: 1 };
  }
  if (best === undefined || missing.size > 0) return undefined;
  return { role: best.role, excerpt: excerptOf(inOneLine(best.text), best.held[0] ?? ''), count: best.count };
};

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

const excerptOf = (text: string, word: string): string => {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - AGENT_LIMITS.searchExcerptCharacters / 2);
  const excerpt = text.slice(at, at + AGENT_LIMITS.searchExcerptCharacters).toWellFormed();
  const [before, after] = [at > 0 ? '…' : '', at + excerpt.length < text.length ? '…' : ''];
  return `${before}${excerpt}${after}`;
};

export const wordsOf = (query: string): string[] =>
  query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

/** For each word the sessions that may hold it; a word of which nothing is known narrows nothing down. */
const mayHold = async (
  store: SessionStore,
  words: readonly string[],
  onReading: OnReading | undefined,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const longest = [...new Set(words)].sort((one, other) => other.length - one.length);
  const asked = longest.slice(0, AGENT_LIMITS.searchNarrowingWords);
  const answers = await Promise.all(asked.map((word) => store.holding?.([word], onReading)));
  return new Map(
    asked.flatMap((word, index) => {
      const answer = answers[index];
      return answer?.ok && answer.value !== undefined ? [[word, answer.value] as const] : [];
    }),
  );
};

/**
 * Sessions in which every word was said, wherever it was, or stands in the title. In the order of the list; a session that
 * cannot be read is passed over. A list that is still under way is waited for: the store looks at its files once for both.
 */
export const searchSessions = async (
  store: SessionStore,
  sessions: Listed | Promise<Listed>,
  words: readonly string[],
  { limit = Number.POSITIVE_INFINITY, onReading }: { limit?: number; onReading?: OnReading } = {},
): Promise<SessionHit[]> => {
  const [listed, holding] = await Promise.all([sessions, mayHold(store, words, onReading)]);
  const inTitle = (title = ''): ((word: string) => boolean) => {
    const lower = title.toLowerCase();
    return (word) => lower.includes(word);
  };
  const asked = listed.filter(({ id, title }) => {
    const isInTitle = inTitle(title);
    return [...holding].every(([word, ids]) => ids.has(id) || isInTitle(word));
  });
  const hits: SessionHit[] = [];
  for (let from = 0; from < asked.length && hits.length < limit; from += AGENT_LIMITS.searchReadAtOnce) {
    const part = asked.slice(from, from + AGENT_LIMITS.searchReadAtOnce);
    const found = await Promise.all(
      part.map(async ({ id, updated_at, title }) => {
        const read = await store.read(id);
        const place = read.ok ? findIn(read.value.events, words, inTitle(title)) : undefined;
        return place && { id, updated_at, ...place };
      }),
    );
    hits.push(...found.filter((hit) => hit !== undefined));
  }
  return hits.slice(0, limit);
};
