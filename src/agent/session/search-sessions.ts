/** The sessions in which words were said, wherever it is asked from. */
import { LIMITS } from '../../core/limits.ts';
import type { SessionStore, SessionSummary } from '../../core/storage-port.ts';
import { type TranscriptEntry, transcriptOf } from '../../core/transcript.ts';

export type SessionHit = { id: string; updated_at: number; role: string; excerpt: string; count: number };

/** Everything that was said: messages, arguments and results of calls. */
export const spoken = (entries: readonly TranscriptEntry[]): { seq: number; role: string; text: string }[] =>
  entries.flatMap((entry) => {
    if (entry.kind === 'note') return [];
    const calls = entry.kind === 'assistant' ? entry.calls : [];
    return [
      { seq: entry.seq, role: entry.kind as string, text: entry.text },
      ...calls.map(({ call }) => ({
        seq: entry.seq,
        role: 'call',
        text: `${call.name} ${JSON.stringify(call.arguments)}`,
      })),
      ...calls.map(({ result }) => ({
        seq: entry.seq,
        role: 'tool',
        text: result?.data ?? result?.error_message ?? '',
      })),
    ];
  });

/** The first place in which every word stands, and how many there are. */
const findIn = (
  entries: readonly TranscriptEntry[],
  words: readonly string[],
): Omit<SessionHit, 'id' | 'updated_at'> | undefined => {
  let first: Omit<SessionHit, 'id' | 'updated_at' | 'count'> | undefined;
  let count = 0;
  for (const { role, text: whole } of spoken(entries)) {
    const text = whole.replaceAll(/\s+/g, ' ');
    const lower = text.toLowerCase();
    if (!words.every((word) => lower.includes(word))) continue;
    count += 1;
    if (first) continue;
    const at = Math.max(0, lower.indexOf(words[0] ?? '') - LIMITS.searchExcerptCharacters / 2);
    const excerpt = text.slice(at, at + LIMITS.searchExcerptCharacters).toWellFormed();
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

/** In the order of the list; a session that cannot be read is passed over. */
export const searchSessions = async (
  store: SessionStore,
  sessions: readonly Pick<SessionSummary, 'id' | 'updated_at'>[],
  words: readonly string[],
  limit = Number.POSITIVE_INFINITY,
): Promise<SessionHit[]> => {
  const hits: SessionHit[] = [];
  for (const { id, updated_at } of sessions) {
    const read = await store.read(id);
    const found = read.ok ? findIn(transcriptOf(read.value.events), words) : undefined;
    if (found) hits.push({ id, updated_at, ...found });
    if (hits.length >= limit) break;
  }
  return hits;
};
