/**
 * `search_session`: finds what was said and shown in this session, also where it is no longer in the prompt. It is
 * offered from the first compaction on, and costs nothing before.
 */
import type { Event } from '../../core/events.ts';
import type { Tool, ToolSchema } from '../../core/tool.ts';
import { toolSchema } from '../../core/tool.ts';
import { fail, ok } from '../../core/tool-result.ts';
import { spoken, transcriptOf } from '../../core/transcript.ts';
import type { ToolRegistry } from '../loop/run-tool/tool-registry.ts';
import { wordsOf } from './search-sessions.ts';

const NAME = 'search_session';
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
  parameters: { type: 'object', properties: { query: { type: 'string', minLength: 2 } }, required: ['query'] },
  async run(args) {
    const words = wordsOf(String(args.query));
    const hits = hitsIn(events(), words);
    if (hits.length === 0) return fail('not_found', `Nothing in this session holds ${words.join(' or ')}.`);
    return ok(hits.map(({ seq, role, excerpt }) => `[event ${seq}, ${role}] ${excerpt}`).join('\n'));
  },
});

type Hit = { seq: number; role: string; excerpt: string; found: number };

/** Those with most of the words first, and of those the latest. */
const hitsIn = (events: readonly Event[], words: readonly string[]): Hit[] => {
  const hits: Hit[] = [];
  for (const { seq, role, text: whole } of spoken(transcriptOf(events))) {
    if (whole.startsWith(NAME)) continue;
    const text = whole.replaceAll(/\s+/g, ' ');
    const lower = text.toLowerCase();
    const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
    if (places.length === 0) continue;
    const at = Math.max(0, Math.min(...places) - EXCERPT_CHARACTERS / 4);
    hits.push({ seq, role, excerpt: text.slice(at, at + EXCERPT_CHARACTERS).toWellFormed(), found: places.length });
  }
  return hits.sort((one, other) => other.found - one.found || other.seq - one.seq).slice(0, HITS_MAX);
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
