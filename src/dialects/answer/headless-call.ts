/**
 * The rest of a call whose beginning is lost, in whatever notation: marks that close a call which nothing opens, marks that
 * stand within one, or what is left of its JSON. Nothing is read out of it and nothing runs: whoever wrote it is told.
 */
import { escapedPattern } from '../../core/escaped-pattern.ts';
import { isObject } from '../../core/json.ts';
import { jsonAt } from '../cut-json.ts';
import { END_TOKENS } from '../engine/grammar.ts';
import type { ToolDefinition } from '../types.ts';
import type { UnreadCall } from '../unread-call.ts';
import { HEADLESS } from './call-words.ts';

/** `isAll`: the answer is nothing else. */
export type HeadlessCall = { call: UnreadCall; isAll: boolean };

/** What closes a call, or a part of one: only marks of the dialects, for other elements may be named alike. */
const CLOSING =
  /<\/(?:[|｜]?\w{1,12}[:|｜])?(?:(?:longcat_|dots_)?(?:tool|function)_calls?|TOOLCALL|invoke|function|param(?:eter)?|arg_(?:key|value))>|<[|｜](?=[^<>\s]{0,80}(?:end|END))(?=[^<>\s]{0,80}(?:tool|call|action|ACTION|arg|func|python))[^<>\s]{1,80}[|｜]>|<end_function_call>|<\|(?:call|calls|tools_suffix|end_message)\|>|<\|close\|>(?:argument|call|tools)<\|sep\|>|<tool_call\|>|\[\/(?:TOOL_CALLS?|ARGS)\]/gu;
/** The end of such a mark. */
const CUT_MARK =
  /^(?:[\w:]{0,40}[|｜]>|[|｜]?(?:\w{0,12}[:|｜])?(?:\w{0,8}_)?(?:calls?|invoke|function|param(?:eter)?|key|value)>)/u;
/** Tokens that open one; those of its arguments stand within it. */
const OPENING =
  /<[|｜]?(?![^<>\s]{0,80}arg)[^<>\s/]{0,60}(?:begin|start|prefix|open|channel)[^<>\s]{0,60}>(?!argument)|<\|tool_call>|\bto=\w/i;
const CALL_TOKEN = '<|call|>';
/** Closing marks of one text that are looked at. */
const MARKS_MAX = 50;
/** Within a call: what stands between its name and its arguments, or opens one of them. No XML and no line of usage has it. */
const INNER =
  /^(?:(?:\[CALL_ID\][\w-]{1,64}\s{0,3})?\[ARGS\](?=\s{0,5}\{\s{0,5}["}])|<parameter=[^<>\n]{1,80}>|<[|｜][^<>\s=/]{0,60}(?<!\p{L})(?:arg|param|sep|constrain)[^<>\s=/]{0,40}(?:\s[^<>\n]{1,80}>|[|｜]>)|<(?:ifm\|)?arg_key>(?=[\s\S]{1,2000}<(?:ifm\|)?arg_value>)|<tool_sep>(?=\s{0,5}<arg_key>)|<\|message\|>(?=\s*\{))(?! \p{L}+[ ,.])/iu;
/** What only the arguments of a call have around them, or two marks that close one. */
const ARGUMENT_MARK =
  /<\/?(?:ifm\|)?arg_(?:key|value)>|<tool_sep>|<(?:\w{1,12}:|｜DSML｜)?param(?:eter)? ?(?:name)?="?[^<>\n]{1,80}>|<[|｜](?=[^<>\s]{0,80}(?:arg|param|sep|constrain|message))[^<>]{1,80}>|<escape>|<\|"\|>|\]<\]|\[ARGS\]|<\/(?:[|｜]?\w{1,12}[:|｜])?param(?:eter)?>\s{0,5}<\//u;
const JSON_ENTRY = /"\s{0,5}[:}]|\{\s{0,5}\}$/;
const JSON_CLOSED = /[}\]]\s{0,5}(?:`{3})?$/;
/** An object in a program. */
const IN_CODE = /=>|[=(]\s{0,5}[{[]|(?<!\w)(?:return|const|let|var|function)\s/;
const EQUALS_VALUE = /(?<![\w.-])([A-Za-z_]\w{0,63})=["'\d[{]/g;
const LABEL =
  /(?:^|\n)[^\p{L}\p{N}\n{}]{0,8}(?:(?:action|tool|function)[ _]input|input|arguments|args|parameters|params)["*_`]{0,3}\s{0,3}[:：=]["*_]{0,3}\s{0,3}(?:`{1,3}(?:json)?\s{0,3})?(?=\{)/giu;
/** A line of ReAct, which only a call has. */
const INPUT = /[ _]input\b/i;
/** Of the marks of Mistral the first bracket is lost, or the first mark. */
const MISTRAL_REST = /^(?:\[?TOOL_CALLS\]\s{0,3}[\w.-]{1,128}\s{0,3}(?:\[ARGS\])?|ARGS\])\s{0,3}\{\s{0,5}["}]/;
/** The end of the name, or of the key of the arguments, of an object. */
const CUT_KEY = /^(?:[\w.:/-]{0,128}"\s{0,5},|"?\s{0,5}:|\])\s{0,5}/;
const KEY = /^\{|^"?[\w.-]{1,64}"\s{0,5}:/;
const ARGUMENTS = ['arguments', 'args', 'parameters', 'params', 'input', 'action_input', 'tool_input'];
/** What may stand behind the arguments in the object of a call. */
const JSON_END = /^(?:\s{0,5},\s{0,5}"(?:id|type|index)"\s{0,5}:\s{0,5}"?[\w-]{0,64}"?)*[\s}\]]*$/;
/** Only a list of calls, or a fence that was opened before them, ends so. */
const PYTHON_REST = /^\(?([A-Za-z_]\w{0,63})=[^\n]{1,2000}\)\s{0,3}(?:\]|`{3})$/;
const FENCE = /^`{3}\w*[ \t]*\n([\s\S]*?)\n?`{3}$/;
/** Words that are no part of a call stand before it: a sentence, or three words. */
const SENTENCE = /\p{L}[.!?:…]["')»”]{0,2}\s*$|(?<!\p{L})\p{L}+\s+\p{L}+\s+\p{L}/u;
/** An answer that a mark was left behind of. */
const SAID = /[\p{L}\p{N}`)][.!?…]["')»”*_]{0,3}$/u;
/** Characters before a mark that tell what it stands behind. */
const NEAR = 100;
const CLOSING_QUOTE = /["'`“”‘’«»)]/;
const QUOTES = '"\'`“”‘’«»„(';
/** Characters of the line or the arguments that are given back. */
const TEXT_CHARACTERS = 2000;

export const headlessCall = (text: string, tools: readonly ToolDefinition[]): HeadlessCall | undefined => {
  const answer = withoutEndTokens(text.trim());
  const code = FENCE.exec(answer)?.[1]?.trim();
  const whole = code ?? withoutOddFence(answer);
  if (isMarkedRest(whole)) return { call: asCall(whole, whole, tools), isAll: true };
  const mark = closingMark(whole);
  if (mark !== undefined && isBehindArguments(whole, mark, { isCode: code !== undefined, tools })) {
    const behind = whole.slice(mark).replace(CLOSING, '');
    const isAll = !SENTENCE.test(headOf(whole)) && !/[\p{L}\p{N}]/u.test(behind);
    return { call: asCall(whole, isAll ? whole : lineAt(whole, mark), tools), isAll };
  }
  // Settings and code may end like one: the model is asked.
  const isPart = isJsonRest(whole, { isCode: code !== undefined, tools });
  if (isPart || (code === undefined && isPythonRest(answer, tools)))
    return { call: asCall(whole, whole, tools), isAll: false };
  const labelled = labelledArguments(whole, tools);
  return labelled && { call: labelled, isAll: false };
};

/** A token that ends the turn says nothing, but for the one that ends a call. */
const withoutEndTokens = (text: string): string => {
  let whole = text;
  let token: string | undefined = '';
  for (let taken = 0; taken <= MARKS_MAX && token !== undefined; taken += 1) {
    whole = whole.slice(0, whole.length - token.length).trimEnd();
    const rest = whole;
    token = END_TOKENS.find((one) => one !== CALL_TOKEN && rest.endsWith(one));
  }
  return whole;
};

/** A fence whose beginning is lost. */
const withoutOddFence = (text: string): string =>
  text.endsWith(MARK) && text.split(MARK).length === 2 ? text.slice(0, -MARK.length).trimEnd() : text;
const MARK = '```';

type Place = { isCode: boolean; tools: readonly ToolDefinition[] };

/** It begins within a call, at a mark that nothing else has. */
const isMarkedRest = (text: string): boolean => {
  const inner = INNER.exec(text)?.[0];
  return inner === undefined ? MISTRAL_REST.test(text) : text.length > inner.length;
};

/** What stands before a closing mark could be arguments, or the text is nothing but such marks. */
const isBehindArguments = (text: string, mark: number, { isCode, tools }: Place): boolean => {
  if (ARGUMENT_MARK.test(text)) return true;
  if (!isCode && !/[\p{L}\p{N}]/u.test(text.replace(CUT_MARK, '').replace(CLOSING, ''))) return true;
  const before = text.slice(Math.max(0, mark - TEXT_CHARACTERS), mark).trimEnd();
  if (JSON_CLOSED.test(before) && JSON_ENTRY.test(before)) return !IN_CODE.test(before);
  // It closes code as well.
  if (text.startsWith('</function>', mark)) return false;
  return [...before.matchAll(EQUALS_VALUE)].some(([, key = '']) => tools.some((tool) => keysOf(tool).includes(key)));
};

const isPythonRest = (text: string, tools: readonly ToolDefinition[]): boolean => {
  const key = PYTHON_REST.exec(text.replace(/\)\s{1,5}`{3}$/, ')```'))?.[1];
  return key !== undefined && tools.some((tool) => keysOf(tool).includes(key));
};

/**
 * It begins within the object of a call, whose arguments fit a tool: nothing opened its brackets. Arguments without their key
 * are settings in a fence, and where one bracket closes them.
 */
const isJsonRest = (text: string, { isCode, tools }: Place): boolean => {
  if (!/[}\]]$/.test(text)) return false;
  const inside = text.replace(CUT_KEY, '');
  if (!KEY.test(inside)) return false;
  return ['{', '{"', ''].some((opening) => {
    const json = inside.startsWith('{') === (opening === '') ? jsonAt(opening + inside) : undefined;
    if (json === undefined || json.isCut || !isObject(json.value)) return false;
    const behind = (opening + inside).slice(json.end);
    const { value } = json;
    const isListed = opening === '' && text.startsWith(']');
    if (!JSON_END.test(behind) || (opening === '' && behind.trim() === '' && !isListed)) return false;
    const isKeyed = ARGUMENTS.some((key) => isObject(value[key]) && fitting(value[key], tools).length > 0);
    const isClosedTwice = behind.trim() !== '' || isListed;
    return isKeyed || (!isCode && isClosedTwice && fitting(value, tools).length > 0);
  });
};

/** Where a mark stands that closes a call which nothing opens, behind what could be one. */
const closingMark = (text: string): number | undefined => {
  let seen = 0;
  let fences = 0;
  let from = 0;
  for (const { 0: mark, index } of text.matchAll(CLOSING)) {
    seen += 1;
    if (seen > MARKS_MAX) return undefined;
    fences += text.slice(from, index).split(MARK).length - 1;
    from = index;
    const near = text.slice(Math.max(0, index - NEAR), index);
    const said = near.trimEnd();
    const isAttached = said === near || /[}\]>)]$|```$/.test(said);
    const isQuoted = QUOTES.includes(near.at(-1) ?? ' ') && CLOSING_QUOTE.test(text[index + mark.length] ?? ' ');
    if (!isAttached || SAID.test(said) || isQuoted || isInlineCode(text, index)) continue;
    // No fence of code is opened with such a mark.
    if (fences % 2 === 1 && !near.endsWith(MARK)) continue;
    if (!isOpened(text.slice(0, index), mark)) return index;
  }
  return undefined;
};

const isOpened = (before: string, mark: string): boolean => {
  if (OPENING.test(before)) return true;
  const name = /^(?:<\/|\[\/)([^>\]]+)/.exec(mark)?.[1];
  return name !== undefined && before.toLowerCase().includes(`${mark[0]}${name.toLowerCase()}`);
};

/** `Action Input: {…}`, where no line names the tool. */
const labelledArguments = (text: string, tools: readonly ToolDefinition[]): UnreadCall | undefined => {
  if (text.split(MARK).length > 3) return undefined;
  for (const { 0: label, index } of [...text.matchAll(LABEL)].slice(0, MARKS_MAX)) {
    const json = jsonAt(text.slice(index + label.length));
    if (json === undefined || !isObject(json.value)) continue;
    const [only, ...more] = fitting(json.value, tools);
    if (only === undefined && !INPUT.test(label)) continue;
    const name = only !== undefined && more.length === 0 ? only : '';
    const written = text.slice(index, index + label.length + json.end).trim();
    return { name, arguments: {}, problem: HEADLESS, text: written, isPart: true, isUnclear: true };
  }
  return undefined;
};

/** The tools that have all of these arguments. */
const fitting = (value: object, tools: readonly ToolDefinition[]): string[] => {
  const keys = Object.keys(value);
  if (keys.length === 0) return [];
  return tools.filter((tool) => keys.every((key) => keysOf(tool).includes(key))).map(nameOf);
};

const nameOf = (tool: ToolDefinition): string => ('function' in tool ? tool.function : tool).name;

const keysOf = (tool: ToolDefinition): string[] => {
  const { parameters } = 'function' in tool ? tool.function : tool;
  const properties = isObject(parameters) ? parameters['properties'] : undefined;
  return isObject(properties) ? Object.keys(properties) : [];
};

/** What stands before the first mark or bracket: of a call its name at most. */
const headOf = (text: string): string => /^[^<{[="|｜]*/u.exec(text)?.[0] ?? '';

const asCall = (whole: string, text: string, tools: readonly ToolDefinition[]): UnreadCall => {
  const head = /^[^{<]*/.exec(whole)?.[0].slice(0, TEXT_CHARACTERS) ?? '';
  const isNamed = (name: string): boolean => new RegExp(`(?<![\\w-])${escapedPattern(name)}(?![\\w-])`).test(head);
  const name = tools.map(nameOf).find((one) => head.includes(one) && isNamed(one)) ?? '';
  return { name, arguments: {}, problem: HEADLESS, text, isPart: true, isUnclear: true };
};

const lineAt = (text: string, at: number): string => {
  const start = text.lastIndexOf('\n', at) + 1;
  const end = text.indexOf('\n', at);
  return text.slice(start, end < 0 ? undefined : end).trim();
};

const isInlineCode = (text: string, at: number): boolean => {
  const start = text.lastIndexOf('\n', at) + 1;
  const end = text.indexOf('\n', at);
  const isOpen = text.slice(start, at).replaceAll('```', '').split('`').length % 2 === 0;
  return isOpen && text.slice(at, end < 0 ? undefined : end).includes('`');
};
