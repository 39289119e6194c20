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
  'a an the this that it its i me my you your is are was be do does can could would please what which who how when where why and or of for to in on at by with from all any some get give make tell show no not only much many does did so but if then than as has have had will should may must just more most here there they we he she his her them after before into out up down over again now'.split(
    ' ',
  ),
);
const requestTerms: Terms = (text) =>
  plainWords(text).flatMap((word) => (COMMON.has(word) ? [] : [{ word: stem(word), weight: 1 }]));

/** More words of a request say less about each of them. */
const SHORT_REQUEST_WORDS = 12;
/** So few are mostly what is wanted, in its plainest form. */
const PLAIN_REQUEST_WORDS = 2;

/** Words of tools that people say of anything: alone they mean no tool. */
const EVERYDAY: ReadonlySet<string> = new Set(
  terms(
    'add address answer ask background begin build call case change character check city close command copy cost count country create current date day delete description disk do document end event fetch file find first folder full get go group help id image item job keep last line link list load long longer look machine made make memory message month move name need new next note number old open order page part path people percent person picture place play post print program project put question range read remove report result return run save say search see send set size space start state status step stop store table take task test text thing time title today tomorrow turn type update use user value view wait week word work write year yesterday',
  ).map(({ word }) => word),
);
/** So few of the tools have a rare word: two, or this share of many. */
const RARE_TOOLS = 2;
const RARE_SHARE = 1 / 8;

/** What each tool is for: the words of its name and of the first clause of its description. */
const purposeOf = (tool: ToolSchema): ReadonlySet<string> => {
  const before = purposes.get(tool);
  if (before) return before;
  const { name, description } = tool.function;
  const told = wordsIn(description.split(CLAUSE_END, 1)[0] ?? '');
  const purpose = new Set([...wordsIn(name), ...told.filter(({ length }) => length >= TOLD_CHARACTERS)]);
  purposes.set(tool, purpose);
  return purpose;
};
/** A tool is described in the same words for as long as it is the same object. */
const purposes = new WeakMap<ToolSchema, ReadonlySet<string>>();
const CLAUSE_END = /[.;:!?(](?=\s|$)/u;

/** The words by which few of the tools say what they are for. */
const rareWords = (tools: readonly ToolSchema[]): ReadonlySet<string> => {
  const counts = new Map<string, number>();
  for (const tool of tools) for (const word of purposeOf(tool)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const most = Math.max(RARE_TOOLS, tools.length * RARE_SHARE);
  const isRare = ([word, count]: [string, number]): boolean =>
    count <= most && word.length >= RARE_CHARACTERS && !/\p{N}/u.test(word) && !EVERYDAY.has(word);
  return new Set([...counts].filter(isRare).map(([word]) => word));
};
/** Shorter words mean one thing here and another there, and those of a sentence hold it together in some language ("die", "pour"). */
const RARE_CHARACTERS = 3;
const TOLD_CHARACTERS = 5;

/**
 * Whether a request shares more with a tool than a word by chance: two words, three where it is long and none of them is in
 * the name; the whole name ("the weather in Oslo"); a rare one of what it is for ("any bugs in Jira?"); or, of two words, one
 * of what it says of itself ("run the tests").
 */
const isAbout = (request: ReadonlySet<string>, tool: ToolSchema, rare: ReadonlySet<string>): boolean => {
  const { name, description, parameters } = tool.function;
  const named = new Set(wordsIn(name));
  const told = new Set([...named, ...wordsIn(description)]);
  const known = new Set([...told, ...wordsIn(JSON.stringify(parameters))]);
  const shared = [...request].filter((word) => known.has(word) && /\p{L}/u.test(word));
  const isNamed = shared.some((word) => named.has(word));
  const isShort = request.size <= SHORT_REQUEST_WORDS;
  if ([...named].every((word) => request.has(word))) return true;
  if (isShort && shared.some((word) => rare.has(word) && purposeOf(tool).has(word))) return true;
  if (request.size <= PLAIN_REQUEST_WORDS && shared.some((word) => told.has(word))) return true;
  return shared.length >= (isNamed || isShort ? 2 : 3);
};
const wordsIn = (text: string): string[] => terms(text).map(({ word }) => word);

/** The further tools that matter to this message, the best first. */
export const shortlistFor = (request: string, offered: OfferedTools): ToolSchema[] => {
  if (offered.behind.length === 0) return [];
  const described = offered.head.filter((schema) => schema.function.name !== USE_TOOL);
  const ranked = rankTools(request, [...described, ...offered.behind], terms, requestTerms);
  const best = ranked[0]?.score ?? 0;
  if (best <= 0) return [];
  const behind = new Set(offered.behind);
  const words = new Set(requestTerms(request).map(({ word }) => word));
  const rare = rareWords([...described, ...offered.behind]);
  const near = ranked.filter(({ score }) => score >= best * LIMITS.shortlistNearShare);
  const chosen: ToolSchema[] = [];
  let tokens = 0;
  for (const { tool } of near.slice(0, LIMITS.shortlistTools)) {
    if (!behind.has(tool) || !isAbout(words, tool, rare)) continue;
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
