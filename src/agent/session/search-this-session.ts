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

/** A word of a query. `exact` matches it as it stands, `near` also within another word or with another ending. */
type Term = { word: string; exact: boolean; near: string };

/** Letters and digits stay together, and a word with a digit in it has no other ending; pairs of signs without spaces. */
const termsOf = (query: string): Term[] => {
  const words = new Set(tokensOf(folded(query)));
  return [...words].flatMap((word): Term[] => {
    const parts = wordsIn(word);
    if (parts.length > 1) return parts.map((part) => ({ word: part, exact: false, near: part }));
    return [{ word, exact: true, near: /\p{N}/u.test(word) ? word : stemOf(word) }];
  });
};
const tokensOf = (text: string): string[] => text.match(/[\p{L}\p{N}_]+/gu) ?? [];
const stemOf = (word: string): string => (word.length < 4 ? word : word.slice(0, word.length < 7 ? -1 : -2));

type Hit = { seq: number; role: string; excerpt: string };
type Match = { term: Term; isExact: boolean };
type Found = { seq: number; role: string; text: string; matches: readonly Match[] };

/** What was said and shown, but for earlier searches: what they found would come up again and again. */
const searched = (events: readonly Event[]) =>
  spoken(
    transcriptOf(events).map((entry) =>
      entry.kind === 'assistant' ? { ...entry, calls: entry.calls.filter(({ call }) => call.name !== NAME) } : entry,
    ),
  );

/** Those with the rarest words first, words as they stand before others; then what the person said, and the latest. */
const hitsIn = (events: readonly Event[], terms: readonly Term[]): Hit[] => {
  // What the person has just said stands in the prompt.
  const current = events.findLast(({ type }) => type === 'user_message_added')?.seq;
  const found: Found[] = [];
  const counts = new Map<string, number>();
  for (const { seq, role, text } of searched(events)) {
    if (seq === current) continue;
    const within = folded(text);
    const tokens = new Set(tokensOf(within));
    const matches = terms.flatMap((term): Match[] => {
      if (term.exact && tokens.has(term.word)) return [{ term, isExact: true }];
      return within.includes(term.near) ? [{ term, isExact: false }] : [];
    });
    for (const match of matches) counts.set(keyOf(match), (counts.get(keyOf(match)) ?? 0) + 1);
    if (matches.length > 0) found.push({ seq, role, text, matches });
  }
  const weightOf = (match: Match): number =>
    Math.log(1 + found.length / (counts.get(keyOf(match)) ?? 1)) * (match.isExact ? EXACT_FACTOR : 1);
  const scored = found.map((hit) => ({ hit, score: hit.matches.reduce((sum, match) => sum + weightOf(match), 0) }));
  const rankOf = ({ role }: Found): number => (role === 'user' ? 0 : 1);
  scored.sort(
    (one, other) => other.score - one.score || rankOf(one.hit) - rankOf(other.hit) || other.hit.seq - one.hit.seq,
  );
  const best = scored[0]?.score ?? 0;
  return scored
    .slice(0, HITS_MAX)
    .filter(({ score }) => score >= best * WORTH_SHARE)
    .map(({ hit: { seq, role, text, matches } }) => {
      const [rarest] = matches.toSorted((one, other) => weightOf(other) - weightOf(one));
      return { seq, role, excerpt: excerptOf(text, rarest) };
    });
};
const keyOf = ({ term, isExact }: Match): string => `${isExact ? '=' : '~'}${term.word}`;
/** A word as it stands says more than one that begins the same. */
const EXACT_FACTOR = 2;
const WORTH_SHARE = 0.4;

/** The place of the rarest word. */
const excerptOf = (whole: string, match: Match | undefined): string => {
  const text = whole.replaceAll(/\s+/g, ' ');
  // Folding changes lengths a little: the place is near enough for an excerpt.
  const within = folded(text);
  const place = placeOf(within, match) * (text.length / Math.max(1, within.length));
  const at = Math.max(0, Math.floor(place - EXCERPT_CHARACTERS / 4));
  return text.slice(at, at + EXCERPT_CHARACTERS).toWellFormed();
};

const placeOf = (within: string, match: Match | undefined): number => {
  if (match === undefined) return 0;
  if (!match.isExact) return within.indexOf(match.term.near);
  for (const { 0: token, index } of within.matchAll(/[\p{L}\p{N}_]+/gu)) if (token === match.term.word) return index;
  return 0;
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
