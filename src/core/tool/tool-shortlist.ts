/**
 * More tools than a prompt prefix has room for (B8). The prefix holds those that fit and one tool more, `use_tool`, which calls any of
 * the others by name; it is the same for the whole session. The others that matter to a message are described at that
 * message's own end, and stand there in every later prompt too, so each prompt begins with the one before.
 */
import type { JsonObject } from '../json.ts';
import { LIMITS } from '../limits.ts';
import type { Repair } from '../message.ts';
import type { Tool, ToolSchema } from '../tool.ts';
import { toolsTokens } from '../window.ts';
import { plainWords, stem } from '../words.ts';
import { rankTools, type Terms } from './tool-ranking.ts';

export const USE_TOOL = 'use_tool';

export type OfferedTools = {
  /** What every prompt of the session describes. */
  head: readonly ToolSchema[];
  /** Those that are called through `use_tool`. */
  behind: readonly ToolSchema[];
};

/** `use_tool`, naming the first `count` of the others. */
const useToolNaming = (behind: readonly ToolSchema[], count: number): ToolSchema => {
  const names = behind.slice(0, count).map((schema) => schema.function.name);
  const left = behind.length - names.length;
  const more = left > 0 ? `${names.length > 0 ? ' and ' : ''}${left} more` : '';
  return {
    type: 'function',
    function: {
      name: USE_TOOL,
      description: `Call one of the further tools: ${names.join(', ')}${more}. A message may end in the description of those that it needs.`,
      parameters: {
        type: 'object',
        properties: { name: { type: 'string' }, arguments: { type: 'object' } },
        required: ['name', 'arguments'],
      },
    },
  };
};

/** `use_tool`, naming as many of the others as the tokens allow. */
const schemaOfUseTool = (behind: readonly ToolSchema[], tokens: number): ToolSchema => {
  const fits = (count: number): boolean => toolsTokens([useToolNaming(behind, count)]) <= tokens;
  // All of them need no word for the rest.
  if (fits(behind.length)) return useToolNaming(behind, behind.length);
  return useToolNaming(behind, largestThat(fits, behind.length - 1));
};

/** The largest count up to `most` that fits, where a smaller one fits too; 0 where none does. */
const largestThat = (fits: (count: number) => boolean, most: number): number => {
  let [below, above] = [0, most];
  while (below < above) {
    const middle = Math.ceil((below + above) / 2);
    if (fits(middle)) below = middle;
    else above = middle - 1;
  }
  return Math.max(0, below);
};

/**
 * As many tools as the budget has room for beside `use_tool`; those that can be done without go first, then the last.
 * `least` leaves out all that can be done without: in a small window every token is worth more.
 */
export const splitTools = (
  schemas: readonly ToolSchema[],
  tools: readonly Tool[],
  budget: number,
  least = false,
): OfferedTools => {
  const dispensable = new Set(tools.filter((tool) => tool.dispensable).map(({ name }) => name));
  const isKept = (schema: ToolSchema): boolean => !dispensable.has(schema.function.name);
  const kept = schemas.filter(isKept);
  const order = [...kept, ...schemas.filter((schema) => !isKept(schema))];
  const fits = (count: number): boolean => toolsTokens(order.slice(0, count)) <= budget;
  for (let count = largestThat(fits, least ? kept.length : order.length); ; count -= 1) {
    const described = order.slice(0, count);
    const behind = order.slice(count);
    const room = budget - toolsTokens(described);
    if (count > 0 && room < leastRoom(behind, budget)) continue;
    return { head: [...described, schemaOfUseTool(behind, room)], behind };
  }
};
/** So much of a prompt prefix may go for the names of further tools before described ones have to give way to them. */
const NAMES_SHARE = 1 / 6;

/** Room for `use_tool` itself, and for the names of all it stands for or at least some. */
const leastRoom = (behind: readonly ToolSchema[], budget: number): number =>
  Math.max(toolsTokens([useToolNaming(behind, 0)]), Math.min(budget * NAMES_SHARE, namesTokens(behind)));

/** What `use_tool` costs when it names all of them. */
const namesTokens = (behind: readonly ToolSchema[]): number => toolsTokens([useToolNaming(behind, behind.length)]);

const terms: Terms = (text) => plainWords(text).map((word) => ({ word: stem(word), weight: 1 }));
/** Words that a request holds whatever it is about. */
const COMMON: ReadonlySet<string> = new Set(
  'a an the this that it its i me my you your is are was be do does can could would please what which who how when where why and or of for to in on at by with from all any some get give make tell show'.split(
    ' ',
  ),
);
const requestTerms: Terms = (text) =>
  plainWords(text).flatMap((word) => (COMMON.has(word) ? [] : [{ word: stem(word), weight: 1 }]));

/** The further tools that matter to this message, the best first. */
export const shortlistFor = (request: string, offered: OfferedTools): ToolSchema[] => {
  if (offered.behind.length === 0) return [];
  const described = offered.head.filter((schema) => schema.function.name !== USE_TOOL);
  const ranked = rankTools(request, [...described, ...offered.behind], terms, requestTerms);
  const best = ranked[0]?.score ?? 0;
  if (best <= 0) return [];
  const behind = new Set(offered.behind);
  const near = ranked.filter(({ score }) => score >= best * LIMITS.shortlistNearShare);
  const chosen: ToolSchema[] = [];
  let tokens = 0;
  for (const { tool } of near.slice(0, LIMITS.shortlistTools)) {
    if (!behind.has(tool)) continue;
    tokens += toolsTokens([tool]);
    if (tokens > LIMITS.shortlistTokens && chosen.length > 0) break;
    chosen.push(tool);
  }
  return chosen;
};

/** What stands at the end of the message; undefined where no further tool matters to it. */
export const shortlistText = (request: string, offered: OfferedTools): string | undefined => {
  const asked = request.slice(0, LIMITS.shortlistRequestCharacters);
  const tools = shortlistFor(asked, offered);
  if (tools.length === 0) return undefined;
  const lines = tools.map(({ function: { name, description, parameters } }) =>
    JSON.stringify({ name, description, parameters }),
  );
  return `[Tools for this, to be called with ${USE_TOOL}:\n${lines.join('\n')}]`;
};

const readObject = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
};

/** The call that was meant by one of `use_tool`. */
export const unwrapUse = <Call extends { name: string; arguments: JsonObject; repairs: Repair[] }>(
  call: Call,
): Call => {
  if (call.name !== USE_TOOL) return call;
  const { name, arguments: args } = call.arguments;
  if (typeof name !== 'string' || name === USE_TOOL) return call;
  if (typeof args === 'object' && args !== null && !Array.isArray(args)) return { ...call, name, arguments: args };
  if (typeof args === 'string') {
    const read = readObject(args);
    return read ? { ...call, name, arguments: read } : call;
  }
  if (args === undefined || args === null) {
    // Some models write the tool's own arguments beside its name.
    const { name: _, arguments: __, ...beside } = call.arguments;
    return { ...call, name, arguments: beside };
  }
  return call;
};
