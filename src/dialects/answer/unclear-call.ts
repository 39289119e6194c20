/**
 * The last look at an answer: the name of a tool on offer beside what could be its arguments, in whatever notation. Nothing
 * is read out of it and nothing runs; it only says that the model has to be asked what it means. So nothing that looks like
 * a call to a tool on offer ends as an answer without a word.
 */
import { escapedPattern } from '../../core/escaped-pattern.ts';
import { isObject } from '../../core/json.ts';
import type { ToolDefinition } from '../types.ts';
import type { UnreadCall } from '../unread-call.ts';
import { NO_NOTATION } from './call-words.ts';

/** Characters behind a name, and before it, in which its arguments are looked for. */
const BEHIND = 400;
const BEFORE = 200;
/** A name and one value are short. */
const WHOLE_CHARACTERS = 2000;
/** Places of one name that are looked at. */
const PLACES_MAX = 50;
/** Directly behind the name: the parenthesis of a function with something in it, a list, an object. */
const OPENED =
  /^['"`*”“»]*\s?(?:\(\s*(?:["'“„«{[\d]|\w+\s*[=:])|(?:\s*[:：=]\s*)?\[\s*["'{\w][^\]\n]*\]|\s*:?\s*(?:[{<]\s*["'\w]|\{\s*\}))/u;
/** A label of at most three words. */
const LABEL = '(?:\\p{L}{1,20}(?: \\p{L}{1,20}){0,2}[^\\p{L}\\n]{0,9}[:：])?';
/** What stands before a name in a line that says nothing else: a label at most. */
const NAME_LINE = new RegExp(`^[^\\p{L}\\n]*${LABEL}[^\\p{L}\\n]*$`, 'u');
/** Nothing but code in a line, behind the mark of a list or a label. */
const ONLY_CODE = new RegExp(`^[^\\p{L}\`\\n]*${LABEL}[^\\p{L}\`\\n]*\`[^\`\\n]+\`[^\\p{L}\\p{N}\\n]*$`, 'u');
/** A line for the arguments, as in ReAct. */
const INPUT_LINE = /^["'`*]*\s*\n[^\n]{0,30}(?:input|arg|param|eingabe)[^\n]{0,20}[:：=]/i;
/** An answer of one line, or between tags, that begins with a name: what may stand before it, and behind it before a text. */
const WHOLE_BEFORE = /^(?:`{3}\w*\s)?[^\p{L}\p{N}\n]*(?:\w+[/.:(])?$/u;
const WHOLE_BEHIND =
  /^["']\s{0,5}:\s{0,5}["'][./~*][^"'\n]*["']\s{0,5}\}$|^(?!["']\s*:\s*(?:[-\d]|true|false|null))["'`*_]{0,3}\s{0,5}(?:[:：=|→]|[-=]?>|\]|["'“„«])[^\p{L}\p{N}]*[\p{L}\p{N}]|^ \S*[./_\d]\w\S*$|^\(\s{0,5}\)[^\p{L}\p{N}]*$/u;
/** The tag of an element up to the name, and what closes it behind the name. */
const TAG_BEFORE = /^\s*(?:`{1,3}(?:\w*\s)?)?<(?:[\w:.-]+\s+[\w:.-]+\s*=\s*["']?)?$/;
const TAG_BEHIND = /^["']?\s*\/?>\s*(?:<\/[\w:.-]+>\s*)?`{0,3}\s*$/;
/** A name that is a word like others, and what shows that it is a name: it begins its line, or is a value or a tag. */
const WORD_NAME = /^\p{L}+$/u;
const BEFORE_NAME = /(?:[{(<[][^\n]*[=:]\s*["']|[<>]|\b(?:functions?|tools?|default_api)[.:/])$/i;
/** A sentence that is no question calls it: "I call ls with …". */
const CALLED_BEFORE = /\b(?:tool|function|call|calling|invoke|invoking|use|using)(?: the)? ["'`*]*$/i;
const CALLED_BEHIND = /^["'`*]*(?: ?\(| (?:with|using|tool|function)\b)(?![^\n]*\?\W*(?:\n|$))/;
/** The name is code, and so is what it is called with. */
const CALLED_OWN =
  /^\W*(?:(?:now|so|ok|okay|next|first|then)\W+)?(?:(?:calling|using|invoking|running|executing)|(?:let me|i(?:['’]ll| will)?)(?: now| then| first)? (?:call|use|invoke|run|execute)|i(?:['’]m| am) (?:calling|using|invoking|running))\b[^\n`]{0,20}`["'*]*$/i;
const CALLED_WITH = /^`["'*]* (?:with|using|on|and)\b[^\n{}`]{0,40}`?\s?\{/;
/** A line of code up to the name of a function. */
const CODE_BEFORE = /^\s*(?:(?:const|let|var|return|await|yield) +|[\w$.]{1,40} *:?= *|[\w$.]{1,40}\()+$/;
/** A server that a name may be written with. */
const SERVER = '(?:\\w{1,64}__)?';
/** Behind a key: its value. */
const VALUE = '["\'”“»«`*_]{0,3}\\s{0,5}(?:[:：=]|=>|>|</)\\s{0,5}[^\\s|]';
/** A key that its mark tells from a word, and its value behind it. */
const MARKED_KEY = '(?:^|[\\s(])(?::|@|\\$|--?)';
const MARKED_VALUE = '\\s{1,5}[^\\s|)]';
/** Arguments of which there are none: directly behind the name, or behind a key of their own. */
const EMPTY_BEHIND = /^[^\p{L}\p{N}\n)]{0,20}(?:(?:with|json)[^\p{L}\p{N}\n)]{0,20})?\{\s{0,5}\}/iu;
const NOTHING =
  '(?:arguments?|args|param(?:eter)?s|input)["\'`*\\\\\\s]*[:：=]["\'`*\\\\\\s]*(?:\\{\\s*\\}|\\[\\s*\\]|null)';
const EMPTY_KEYED = new RegExp(`(?<!\\p{L})${NOTHING}`, 'iu');
const EMPTY_LINE = new RegExp(`^[^\\p{L}]*${NOTHING}`, 'iu');

export const unclearCall = (text: string, tools: readonly ToolDefinition[]): UnreadCall | undefined => {
  for (const tool of tools) {
    const { name, parameters } = 'function' in tool ? tool.function : tool;
    if (isOtherCase(text, name, keysOf(parameters))) return unclearAs(name, text.trim());
    if (!text.includes(name)) continue;
    const places = new RegExp(`(?<![\\w-])${SERVER}(?=${escapedPattern(name)}(?![\\w-]))`, 'g');
    for (const { index: start, 0: server } of [...text.matchAll(places)].slice(0, PLACES_MAX)) {
      const index = start + server.length;
      if (
        isWhole(text, start, index + name.length) ||
        isTag(text, start, index + name.length) ||
        (isName(text, start, index + name.length) &&
          hasArguments(text, index, name, keysOf(parameters)) &&
          (!isInlineCode(text, index) ||
            ONLY_CODE.test(text.trim()) ||
            isBehindCode(text, index, name, keysOf(parameters))))
      )
        return unclearAs(name, lineAt(text, index));
    }
  }
  return undefined;
};

export const unclearAs = (name: string, text: string): UnreadCall => ({
  name,
  arguments: {},
  problem: NO_NOTATION,
  text,
  isPart: true,
  isUnclear: true,
});

/** The answer begins with the name in other letters, and with a value in quotation marks directly behind it. */
const isOtherCase = (text: string, name: string, keys: readonly string[]): boolean => {
  const head = text.slice(0, BEFORE + name.length);
  const start = head.toLowerCase().indexOf(name.toLowerCase());
  if (start < 0 || head.startsWith(name, start) || /[\p{L}\p{N}\n]/u.test(head.slice(0, start))) return false;
  const given = /^\s{0,3}[({:]{0,1}\s{0,3}["']?(\w{1,64})["']?\s{0,3}[=:]\s{0,3}["'“]/.exec(
    head.slice(start + name.length),
  )?.[1];
  return given !== undefined && keys.includes(given);
};

/** The answer is the name and one value, in whatever form. */
const isWhole = (text: string, start: number, end: number): boolean => {
  if (start > BEFORE || text.length - end > WHOLE_CHARACTERS) return false;
  const behind = text
    .slice(end)
    .replace(/`{3}\s*$/, '')
    .trimEnd();
  const isOne = !behind.includes('\n') || /^[>\]][\s\S]*[<[]\/\S*$/.test(behind);
  return isOne && WHOLE_BEFORE.test(text.slice(0, start).trimStart()) && WHOLE_BEHIND.test(behind);
};

/** The answer, or a line of it, is one element with nothing in it, which the name is of: `<call tool="ls"/>`, `<ls></ls>`. */
const isTag = (text: string, start: number, end: number): boolean => {
  const before = text.slice(lineStart(text, start), start);
  if (before.length > BEFORE || !TAG_BEFORE.test(before)) return false;
  const behind = text.slice(end, end + BEHIND);
  // A word may be an element of any language.
  const isLine = !WORD_NAME.test(text.slice(start, end)) && TAG_BEHIND.test(behind.split('\n', 1)[0] ?? '');
  return isLine || (start <= BEFORE && TAG_BEFORE.test(text.slice(0, start)) && TAG_BEHIND.test(behind));
};

/** Any answer may hold a word. */
const isName = (text: string, at: number, end: number): boolean => {
  if (!WORD_NAME.test(text.slice(at, end))) return true;
  const before = text.slice(lineStart(text, at), at);
  if (text[end] === '(' && before.length <= BEFORE && CODE_BEFORE.test(before)) return true;
  if (CALLED_BEFORE.test(before.slice(-BEFORE)) && CALLED_BEHIND.test(text.slice(end, end + BEHIND))) return true;
  return NAME_LINE.test(before) || BEFORE_NAME.test(before.slice(-BEFORE));
};

const hasArguments = (text: string, at: number, name: string, keys: readonly string[]): boolean => {
  // The language of a fence.
  if (text.slice(0, at).endsWith('```')) return false;
  const behind = text.slice(at + name.length, at + name.length + BEHIND);
  if (OPENED.test(behind) || INPUT_LINE.test(behind) || EMPTY_BEHIND.test(behind)) return true;
  const around = `${text.slice(Math.max(0, at - BEFORE), at)}\n${behind}`;
  if (EMPTY_KEYED.test(around)) return true;
  return keys.some((key) => {
    const word = escapedPattern(key);
    const given = `(?<![\\p{L}\\w])${word}${VALUE}|${MARKED_KEY}${word}${MARKED_VALUE}`;
    return new RegExp(given, 'u').test(around) || new RegExp(`\\n[^\\p{L}\\n]{0,8}${word}${VALUE}`, 'iu').test(behind);
  });
};

/** The name alone is code: its arguments open directly behind it, or stand at the beginning of a line below its own. */
const isBehindCode = (text: string, at: number, name: string, keys: readonly string[]): boolean => {
  const end = at + name.length;
  if (text[at - 1] !== '`' || text[end] !== '`') return false;
  const behind = text.slice(end, end + BEHIND);
  const isCalled = (): boolean => CALLED_OWN.test(text.slice(lineStart(text, at), at).slice(-BEFORE));
  if (OPENED.test(behind) || (CALLED_WITH.test(behind) && isCalled())) return true;
  const [rest = '', ...lines] = behind.split('\n');
  if (!NAME_LINE.test(text.slice(lineStart(text, at), at)) || /\p{L}/u.test(rest)) return false;
  if (lines.some((line) => EMPTY_LINE.test(line))) return true;
  return keys.some((key) =>
    lines.some((line) => new RegExp(`^[^\\p{L}]*${escapedPattern(key)}${VALUE}`, 'u').test(line)),
  );
};

const keysOf = (parameters: unknown): string[] => {
  const properties = isObject(parameters) ? parameters['properties'] : undefined;
  return isObject(properties) ? Object.keys(properties) : [];
};

const lineStart = (text: string, at: number): number => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1);

const lineAt = (text: string, at: number): string => {
  const end = text.indexOf('\n', at);
  return text.slice(lineStart(text, at), end < 0 ? undefined : end).trim();
};

const isInlineCode = (text: string, at: number): boolean => {
  const end = text.indexOf('\n', at);
  const isOpen = text.slice(lineStart(text, at), at).replaceAll('```', '').split('`').length % 2 === 0;
  return isOpen && text.slice(at, end < 0 ? undefined : end).includes('`');
};
