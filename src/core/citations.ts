/**
 * `[source:web_search]` marks in an answer, each with the call that it leans on. A passage in quotation marks before a mark
 * is looked for in what the call returned: what is not there is reported as missing.
 */

import { isObject, type JsonValue } from './json.ts';
import type { ToolCall } from './message.ts';
import { gaveSomething, type ToolResult } from './tool-result.ts';
import { withoutEnd } from './without-end.ts';

export type Citation = {
  /** As it stands in the mark. */
  source: string;
  /** The call it leans on; null where none of that name returned anything. */
  tool_call_id: string | null;
  /** The quoted passage right before the mark. */
  quote?: string;
  /** There is such a result, and the passage, where there is one, stands in it. */
  verified: boolean;
  /** Where the mark begins in the answer, in UTF-16 units. */
  position: number;
};

export type CitedCall = { call: Pick<ToolCall, 'id' | 'name'>; result: ToolResult };

const MARK = /\[sources?:\s*([^\]\n]{1,200})\]/gi;
const QUOTES: readonly [string, string][] = [
  ['"', '"'],
  ['“', '”'],
  ['„', '“'],
  ['«', '»'],
];
/** Between the end of a passage and its mark. */
const BETWEEN = /[\s.,;:!?)*_]*$/;
const SHORTEST_QUOTE = 3;

export const findCitations = (answer: string, calls: readonly CitedCall[]): Citation[] => {
  const found: Citation[] = [];
  let from = 0;
  for (const match of answer.matchAll(MARK)) {
    const quote = quoteBefore(answer.slice(from, match.index));
    for (const name of (match[1] ?? '').split(',')) {
      const source = name.trim();
      if (source !== '') found.push({ ...checked(source, quote, calls), position: match.index });
    }
    from = match.index + match[0].length;
  }
  return found;
};

/** Whether an answer names a file that was found: one of the `path`s of a list of hits. */
export const namesFile = (answer: string, data: string | null): boolean => {
  const hits = parsed(data ?? '');
  return (
    Array.isArray(hits) &&
    hits.some((hit) => isObject(hit) && typeof hit['path'] === 'string' && standsIn(answer, hit['path']))
  );
};

/** As a whole: `a.md` does not stand in `data.md` or `a.mdx`. */
const standsIn = (text: string, path: string): boolean => {
  for (let at = text.indexOf(path); path !== '' && at !== -1; at = text.indexOf(path, at + 1)) {
    const isWhole = !PATH_LETTER.test(text[at - 1] ?? ' ') && !/^(?:[\w/-]|\.\w)/.test(text.slice(at + path.length));
    if (isWhole) return true;
  }
  return false;
};
const PATH_LETTER = /[\w./-]/;

const parsed = (data: string): JsonValue | undefined => {
  try {
    return JSON.parse(data) as JsonValue;
  } catch {
    return undefined;
  }
};

/** The last quoted passage of the sentence that the mark ends. */
const quoteBefore = (text: string): string | undefined => {
  const end = text.replace(BETWEEN, '');
  for (const [open, close] of QUOTES) {
    if (!end.endsWith(close)) continue;
    const start = end.lastIndexOf(open, end.length - close.length - 1);
    const quote = start === -1 ? '' : end.slice(start + open.length, -close.length);
    if (quote.trim().length >= SHORTEST_QUOTE) return quote;
  }
  // The passage may stand earlier in the sentence: `The page says "…" about it [source:…]`.
  const sentence = end.slice(Math.max(end.lastIndexOf('\n'), end.lastIndexOf('. ')) + 1);
  return [...sentence.matchAll(/["“„«]([^"”“»]{3,2000})["”“»]/g)].at(-1)?.[1];
};

const checked = (
  source: string,
  quote: string | undefined,
  calls: readonly CitedCall[],
): Omit<Citation, 'position'> => {
  const name = source.replace(/#\d+$/, '');
  const meant = calls.filter(({ call, result }) => gaveSomething(result) && (call.name === name || call.id === source));
  const passage = quote === undefined ? {} : { quote };
  const last = meant.at(-1);
  if (last === undefined) return { source, tool_call_id: null, ...passage, verified: false };
  if (quote === undefined) return { source, tool_call_id: last.call.id, verified: true };
  const holding = meant.findLast(({ result }) => holds(result.data ?? '', quote));
  return { source, tool_call_id: (holding ?? last).call.id, quote, verified: holding !== undefined };
};

/** White space, case and typographic marks may differ; `…` may leave something out. */
const holds = (data: string, quote: string): boolean => {
  const text = plain(unescaped(data));
  let from = 0;
  for (const part of quote.split(/…|\.\.\./)) {
    const wanted = plain(part);
    if (wanted === '') continue;
    const at = text.indexOf(wanted, from);
    if (at === -1) return false;
    from = at + wanted.length;
  }
  return true;
};

const plain = (text: string): string =>
  withoutEnd(
    text
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[“”„«»]/g, '"')
      .replaceAll(/[‘’]/g, "'")
      // Numbers of lines, as read_file puts them before each.
      .replaceAll(/^\d+: /gm, '')
      .replaceAll(/\s+/g, ' '),
    /[\s.,;:!?]/,
  ).trim();

/** Structured data is JSON text, in which a passage stands escaped. */
const unescaped = (data: string): string => {
  if (!/^\s*[[{]/.test(data)) return data;
  try {
    const texts: string[] = [];
    JSON.parse(data, (_key, value: unknown) => {
      if (typeof value === 'string' || typeof value === 'number') texts.push(String(value));
      return value;
    });
    return texts.join('\n');
  } catch {
    return data;
  }
};
