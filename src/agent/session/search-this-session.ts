/**
 * `search_session`: finds what was said and shown in this session, also where it is no longer in the prompt. It is
 * offered from the first compaction on, and costs nothing before.
 */
import type { Event } from '../../core/events.ts';
import type { Tool, ToolSchema } from '../../core/tool.ts';
import { toolSchema } from '../../core/tool.ts';
import { fail, ok } from '../../core/tool-result.ts';
import { spoken, transcriptOf } from '../../core/transcript.ts';
import { wordsIn } from '../../core/window/distinctive.ts';
import type { ToolRegistry } from '../loop/run-tool/tool-registry.ts';

export const SEARCH_SESSION = 'search_session';
const NAME = SEARCH_SESSION;
const HITS_MAX = 6;
const EXCERPT_CHARACTERS = 500;

/** `events`: the path of the session, from its first event on. */
export const searchSessionTool = (events: () => readonly Event[]): Tool => ({
  name: NAME,
  description:
    'Search earlier parts of this conversation that were left out to save room: words that were said or shown.',
  risk: 'safe',
  effects: 'none',
  main_argument: 'query',
  parameters: { type: 'object', properties: { query: { type: 'string', minLength: 1 } }, required: ['query'] },
  async run(args) {
    const query = String(args.query);
    const hits = hitsIn(events(), termsOf(query));
    if (hits.length === 0) return fail('not_found', `Nothing in this session holds ${JSON.stringify(query)}.`);
    return ok(hits.map(({ seq, role, excerpt }) => `[event ${seq}, ${role}] ${excerpt}`).join('\n'));
  },
});

/** Without accents and case, so that a word is found however it was written. */
const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toUpperCase().toLowerCase();

/** The words of a query, of scripts without spaces pairs of signs; a longer word is looked for by its stem. */
const termsOf = (query: string): string[] => {
  const words = folded(query).match(/[\p{L}\p{N}_]+/gu) ?? [];
  return [...new Set(words.flatMap((word) => wordsIn(word).map(stemOf)))];
};
const stemOf = (word: string): string => (word.length < 4 ? word : word.slice(0, word.length < 7 ? -1 : -2));

type Hit = { seq: number; role: string; excerpt: string };
type Found = { seq: number; role: string; text: string; terms: readonly string[] };

/** Those with the rarest words first, and of those the latest. */
const hitsIn = (events: readonly Event[], terms: readonly string[]): Hit[] => {
  // What the person has just said stands in the prompt.
  const current = events.findLast(({ type }) => type === 'user_message_added')?.seq;
  const found: Found[] = [];
  const counts = new Map<string, number>();
  for (const { seq, role, text } of spoken(transcriptOf(events))) {
    if (text.startsWith(NAME) || seq === current) continue;
    const within = folded(text);
    const own = terms.filter((term) => within.includes(term));
    for (const term of own) counts.set(term, (counts.get(term) ?? 0) + 1);
    if (own.length > 0) found.push({ seq, role, text, terms: own });
  }
  const weightOf = (term: string): number => Math.log(1 + found.length / (counts.get(term) ?? 1));
  const scored = found.map((hit) => ({ hit, score: hit.terms.reduce((sum, term) => sum + weightOf(term), 0) }));
  scored.sort((one, other) => other.score - one.score || other.hit.seq - one.hit.seq);
  const best = scored[0]?.score ?? 0;
  return scored
    .slice(0, HITS_MAX)
    .filter(({ score }) => score >= best * WORTH_SHARE)
    .map(({ hit: { seq, role, text, terms: own } }) => ({
      seq,
      role,
      excerpt: excerptOf(
        text,
        own.toSorted((one, other) => weightOf(other) - weightOf(one)),
      ),
    }));
};
const WORTH_SHARE = 0.4;

/** The place of the rarest word. */
const excerptOf = (whole: string, terms: readonly string[]): string => {
  const text = whole.replaceAll(/\s+/g, ' ');
  // Folding changes lengths a little: the place is near enough for an excerpt.
  const within = folded(text);
  const place = within.indexOf(terms[0] ?? '') * (text.length / Math.max(1, within.length));
  const at = Math.max(0, Math.floor(place - EXCERPT_CHARACTERS / 4));
  return text.slice(at, at + EXCERPT_CHARACTERS).toWellFormed();
};

/** The registry of a session in which it can be called, and how it is described once it is offered. */
export const withSessionSearch = (
  registry: ToolRegistry,
  events: () => readonly Event[],
): { registry: ToolRegistry; afterCompaction: ToolSchema | undefined } => {
  // A conversation without tools stays one, and a tool of the same name is somebody else's.
  if (registry.schemas.length === 0 || registry.get(NAME)) return { registry, afterCompaction: undefined };
  const tool = searchSessionTool(events);
  return {
    registry: {
      ...registry,
      get: (name) => (name === NAME ? tool : registry.get(name)),
      resolveName: (name) => (name === NAME ? { name } : registry.resolveName(name)),
    },
    afterCompaction: toolSchema(tool),
  };
};
