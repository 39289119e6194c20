/**
 * `search_session`: finds what was said and shown in this session, also where it is no longer in the prompt. It is
 * offered from the first compaction on, and costs nothing before.
 */
import type { Event } from '../../core/events.ts';
import type { Workspace } from '../../core/ports.ts';
import { activePath } from '../../core/session-tree.ts';
import { setAsideIn } from '../../core/set-aside.ts';
import type { Tool, ToolSchema } from '../../core/tool.ts';
import { toolSchema } from '../../core/tool.ts';
import { fail, ok } from '../../core/tool-result.ts';
import { type Spoken, spoken, type TranscriptEntry, transcriptOf } from '../../core/transcript.ts';
import { firstWords } from '../../core/window/text.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { ToolRegistry } from '../loop/run-tool/tool-registry.ts';
import { type Hit, hitsIn } from './search-this-session/find.ts';

export const SEARCH_SESSION = 'search_session';
const NAME = SEARCH_SESSION;

/** `events`: the whole log of the session. */
export const searchSessionTool = (events: () => readonly Event[]): Tool => ({
  name: NAME,
  description:
    'Search earlier parts of this conversation that were left out to save room: words that were said or shown.',
  risk: 'safe',
  effects: 'none',
  main_argument: 'query',
  parameters: { type: 'object', properties: { query: { type: 'string', minLength: 1 } }, required: ['query'] },
  async run(args, { workspace, signal }) {
    const query = String(args.query);
    const log = events();
    const lookIn = async (texts: readonly Spoken[]): Promise<string[]> => {
      const hits = hitsIn(await withWholeResults(texts, workspace, signal), query);
      return hits.flatMap((hit) => [hitText(hit), ...replyTo(hit, hits, texts)]);
    };
    const found = await lookIn(searched(log));
    if (found.length > 0) return ok(found.join('\n'));
    const aside = await lookIn(spokenIn(setAsideIn(log)));
    if (aside.length === 0) return fail('not_found', `Nothing in this session holds ${JSON.stringify(query)}.`);
    return ok([ASIDE, ...aside].join('\n'));
  },
});
/** What the person took back is not to be taken for what holds. */
const ASIDE =
  'Nothing in this conversation holds that. What follows was said, and then set aside by the user (edited, or gone back):';

const hitText = ({ seq, role, excerpt, file, line }: Hit): string => {
  const place = file === undefined ? '' : `, ${file}${line === undefined ? '' : ` line ${line}`}`;
  return `[event ${seq}, ${role}${place}] ${excerpt}`;
};

/** A question or a proposal is not to be taken for what was decided: what the person said to it stands beside it. */
const replyTo = (hit: Hit, hits: readonly Hit[], texts: readonly Spoken[]): string[] => {
  if (hit.role !== 'assistant') return [];
  const next = texts.find(({ seq, role }) => seq > hit.seq && (role === 'assistant' || role === 'user'));
  if (next?.role !== 'user' || hits.some(({ seq }) => seq === next.seq)) return [];
  return [`[event ${next.seq}, user, to that] ${firstWords(next.text, AGENT_LIMITS.searchedReplyCharacters)}`];
};

/**
 * What was said and shown, but for what the person has just said, which stands in the prompt, and for earlier searches:
 * what they found would come up again and again.
 */
const searched = (events: readonly Event[]): Spoken[] => {
  const current = activePath(events).findLast(({ type }) => type === 'user_message_added')?.seq;
  return spokenIn(transcriptOf(events)).filter(({ seq }) => seq !== current);
};

const spokenIn = (entries: readonly TranscriptEntry[]): Spoken[] =>
  spoken(
    entries.map((entry) =>
      entry.kind === 'assistant' ? { ...entry, calls: entry.calls.filter(({ call }) => call.name !== NAME) } : entry,
    ),
  );

/** Of results that were put aside the whole, the latest first as far as they may be read. */
const withWholeResults = async (
  texts: readonly Spoken[],
  workspace: Workspace,
  signal: AbortSignal,
): Promise<Spoken[]> => {
  let left = AGENT_LIMITS.searchedResultsBytes;
  const whole: Spoken[] = [];
  for (const text of texts.toReversed()) {
    const read =
      text.file === undefined || left <= 0
        ? undefined
        : await workspace.readFile(text.file, { maxBytes: left, signal });
    const { file: _file, ...shown } = text;
    if (read?.ok !== true || read.value.bytes.length > left) whole.push(shown);
    else {
      left -= read.value.bytes.length;
      whole.push({ ...text, text: new TextDecoder().decode(read.value.bytes) });
    }
  }
  return whole.reverse();
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
