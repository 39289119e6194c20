/** Short forms of results: for the model in summary mode (E7), and the line of sources under an answer (E9). */
import type { JsonObject, JsonValue } from './json.ts';
import { LIMITS } from './limits.ts';
import { mustBe } from './must-be.ts';
import { parseNested } from './nested-json.ts';
import { isPlain, shown } from './shown-value.ts';
import { thrownText } from './thrown-text.ts';
import type { Tool } from './tool.ts';
import type { ToolResult } from './tool-result.ts';

/**
 * `[web_search] results: a | b | c`, or `[web_search] failed: reason`, behind which the end of what it gave all the same
 * stands (`[bash] failed: reason | last line`); at most `maxCharacters`.
 */
export const summarizeResult = (
  name: string,
  result: ToolResult,
  options?: { items?: readonly string[]; maxCharacters?: number } | null,
): string => {
  const { items: given, maxCharacters, ...others } = options ?? {};
  const limit = maxCharacters ?? LIMITS.summaryCharacters;
  const must = (wanted: string, what: string, value: unknown, fits: boolean): void =>
    mustBe(wanted, `${what} of summarizeResult()`, value, fits);
  must('a text', 'name', name, typeof name === 'string');
  must('a result', 'result', result, isPlain(result) && typeof result.success === 'boolean');
  const isTold = (value: unknown): boolean => value === null || typeof value === 'string';
  must('a text or null', 'result.data', result.data, isTold(result.data));
  const { error_message: why = null, error_type: kind = 'none' } = result;
  must('a text or null', 'result.error_message', why, isTold(why));
  must('a text', 'result.error_type', kind, typeof kind === 'string');
  must('an object', 'options', options, isPlain(options ?? {}));
  for (const other in others) must('items or maxCharacters', 'an option', other, false);
  must('a list of texts', 'items', given, isTexts(given ?? []));
  must('a number from 0 on', 'maxCharacters', limit, typeof limit === 'number' && limit >= 0);
  if (!result.success) {
    const reason = oneLine((why ?? kind).replace(`${name} failed: `, ''));
    const items = itemsOf(result.data).filter((item) => !reason.includes(oneLine(item)));
    return cut(`[${name}] failed: ${[reason, ...shortened(items.slice(-LIMITS.summaryItems))].join(' | ')}`, limit);
  }
  const items = shortened((given ?? itemsOf(result.data)).slice(0, LIMITS.summaryItems));
  return cut(`[${name}] results: ${items.length > 0 ? items.join(' | ') : '(none)'}`, limit);
};

const shortened = (items: readonly string[]): string[] =>
  items.map((item) => cut(oneLine(item), LIMITS.summaryItemCharacters));

/**
 * What a tool chooses of its result; undefined where it chooses nothing, or cannot: a summary that fails costs the model
 * no result. `tell` gets what is wrong with it, in words for the tool's author.
 */
export const summaryItemsOf = (
  tool: Pick<Tool, 'name' | 'summarize'> | undefined,
  result: ToolResult,
  args: JsonObject | undefined,
  tell: (problem: string) => void = () => {},
): string[] | undefined => {
  if (tool?.summarize === undefined) return undefined;
  try {
    const items: unknown = tool.summarize(result, args);
    if (isTexts(items)) return items;
    // What it comes to later is read by nobody, a failure neither.
    if (items instanceof Promise) items.catch(() => {});
    tell(
      `summarize of ${tool.name} must return a list of texts, not ${Array.isArray(items) ? 'a list of other values' : shown(items)}.`,
    );
  } catch (error) {
    tell(`summarize of ${tool.name} failed: ${thrownText(error)}`);
  }
  return undefined;
};

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** `Sources: web_search, read_file`; empty where no tool counts as a source, or where `answer` ends in that line already. */
export const sourcesLine = (names: readonly string[], answer?: string): string => {
  mustBe('a list of texts', 'names of sourcesLine()', names, isTexts(names));
  const said: unknown = answer ?? '';
  mustBe('a text', 'answer of sourcesLine()', said, typeof said === 'string');
  return names.length === 0 || namesSources(said as string, names) ? '' : `Sources: ${names.join(', ')}`;
};

/** The model wrote the line by itself, with the same tools in any order and with or without emphasis. */
const namesSources = (answer: string, names: readonly string[]): boolean => {
  const last = answer.trimEnd().slice(answer.trimEnd().lastIndexOf('\n') + 1);
  const [, list] = /^sources:(.*)$/i.exec(last.replaceAll(/[*`]/g, '').trim()) ?? [];
  const written = list
    ?.replace(/\.\s*$/, '')
    .split(',')
    .map((name) => name.trim());
  return written !== undefined && written.length === names.length && names.every((name) => written.includes(name));
};

/** The tools whose use is worth a line under a text answer. */
const SOURCE_TOOLS: ReadonlySet<string> = new Set(['web_search', 'web_fetch', 'rag_search', 'read_file']);
/** Beside them, what only looks for a file. */
const LOOKING_TOOLS: ReadonlySet<string> = new Set([
  ...SOURCE_TOOLS,
  'ls',
  'grep_search',
  'get_file_tree',
  'get_working_directory',
  'code_graph',
  'search_session',
]);

/** What a person would cite. A file that was read to be worked on is no source of the answer that tells of the work. */
export const shownSources = (used: readonly string[]): string[] => {
  const onlyLooks = used.every((name) => LOOKING_TOOLS.has(name));
  return used.filter((name) => SOURCE_TOOLS.has(name) && (name !== 'read_file' || onlyLooks));
};

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

const cut = (text: string, maxCharacters: number): string => {
  if (text.length <= maxCharacters) return text;
  const end = text.slice(0, maxCharacters - 1);
  // Half of a surrogate pair is not text.
  return `${/[\uD800-\uDBFF]$/.test(end) ? end.slice(0, -1) : end}…`;
};

const itemsOf = (data: string | null): string[] => {
  if (data === null || data.trim() === '') return [];
  const value = parse(data);
  if (Array.isArray(value)) return value.map(describe);
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).map(([key, entry]) => `${key}: ${describe(entry)}`);
  }
  return data.split('\n').filter((line) => line.trim() !== '');
};

const parse = (data: string): JsonValue | undefined => {
  if (!/^\s*[[{]/.test(data)) return undefined;
  try {
    return parseNested(data);
  } catch {
    return undefined;
  }
};

const describe = (value: JsonValue): string => {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  return Object.values(value)
    .map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)))
    .join(' – ');
};
