/**
 * What a server says of its own things: which id a thing has, and which things there are. Such a word counts for calls to
 * that very server, where the person asked for the call and all else in it is theirs.
 */
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { parseNested } from '../nested-json.ts';
import { lettersOf, type TextIndex, wordsOf } from './text-index.ts';
import type { WeightyValue } from './values.ts';

/** An answer of a tool. */
export type Answer = { tool: string | undefined; arguments: JsonObject; text: string; index(): TextIndex };

const SERVER = /^mcp__(.+?)__(.+)$/;

/** `looked up`: by a name that the person wrote, so that the person chose it. `listed`: the server says that there is such a one. */
export type Given = 'looked up' | 'listed';

/** How one of the answers gives this value as a whole; `text` is the part of it that is weighed. */
export const givenBy = (
  tool: string,
  value: WeightyValue | undefined,
  text: string,
  answers: readonly Answer[],
  isSaid: (word: string) => boolean,
): Given | undefined => {
  const server = SERVER.exec(tool)?.[1];
  if (value === undefined || value.text !== text || server === undefined) return undefined;
  const own = answers.filter((answer) => SERVER.exec(answer.tool ?? '')?.[1] === server);
  if (value.role === 'recipient' && own.some((answer) => isLookedUp(answer, text, isSaid))) return 'looked up';
  const isListed = (answer: Answer): boolean =>
    value.role === 'id'
      ? answer.index().holdsIdField(lettersOf(text))
      : listsNames(SERVER.exec(answer.tool ?? '')?.[2] ?? '', value.argument) &&
        entriesIn(answer.text).has(lettersOf(text));
  return own.some(isListed) ? 'listed' : undefined;
};

const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/s$/, '');
const nounsOf = (argument: string): string[] =>
  wordsOf(argument.replace(/\[\d+\]/g, '').replaceAll('_', ' ')).map(singular);

/** `get_channels` lists what an argument `channel` names. */
const listsNames = (tool: string, argument: string): boolean => {
  const nouns = nounsOf(argument);
  const listed = wordsOf(tool.replaceAll('_', ' ')).filter((word) => word.endsWith('s'));
  return listed.some((word) => nouns.includes(singular(word)));
};

/** Whether a text speaks of all things that an argument names one of: `add all users` of `user`. */
export const namesAllOf = (text: string, argument: string): boolean => {
  const nouns = nounsOf(argument);
  const words = wordsOf(text);
  return words.some(
    (word, at) =>
      ALL.has(word) && words.slice(at + 1, at + 1 + ALL_REACH).some((noun) => nouns.includes(singular(noun))),
  );
};
const ALL = new Set(['all', 'every', 'each']);
/** `all other active users`. */
const ALL_REACH = 3;

const NAME_FIELD = /^(?:[a-z]+[_-])*(?:name|nickname|label)$/i;
const NAME_CHARACTERS = 3;

/**
 * The address of somebody whom the person named, where the server was asked for that name, answered with nothing but records,
 * and just one of them is of that name.
 */
const isLookedUp = (answer: Answer, text: string, isSaid: (word: string) => boolean): boolean => {
  const asked = Object.values(answer.arguments).flatMap((given) => wordsOf(typeof given === 'string' ? given : '0'));
  if (asked.length === 0 || !asked.every((word) => word.length >= NAME_CHARACTERS && isSaid(word))) return false;
  const ofName = (recordsIn(answer.text) ?? []).filter((record) =>
    record.some(([key, name]) => NAME_FIELD.test(key) && asked.every((word) => wordsOf(name).includes(word))),
  );
  return ofName.length === 1 && ofName[0]?.some(([, field]) => lettersOf(field) === lettersOf(text)) === true;
};

type TextRecord = [key: string, value: string][];
const FIELD = /^(- |[ ]{2})?([\w-]{1,40}):(?: (.*))?$/;
const QUOTED = /^(["'])(.*)\1$/;

/** Flat records in YAML or JSON; undefined where anything else stands beside them. */
const recordsIn = (text: string): TextRecord[] | undefined => {
  const json = jsonIn(text);
  if (json !== undefined)
    return (Array.isArray(json) ? json : [json]).map(flatRecord).filter((each) => each.length > 0);
  const records: TextRecord[] = [[]];
  for (const line of text.trimEnd().split('\n')) {
    const [whole, start, key = '', value = ''] = FIELD.exec(line.trimEnd()) ?? [];
    if (whole === undefined || records.length > ENTRIES) return undefined;
    if (start === '- ') records.push([]);
    records.at(-1)?.push([key, value.replace(QUOTED, '$2')]);
  }
  return records;
};

const flatRecord = (value: JsonValue): TextRecord =>
  isObject(value) ? Object.entries(value).map(([key, field]) => [key, typeof field === 'string' ? field : '']) : [];

const ENTRY = /^-[ \t]+(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"'\n][^\n]*))$/;
const ENTRY_CHARACTERS = 64;
const ENTRIES = 10_000;

/**
 * The names of an answer that is a list of names and holds nothing else, in YAML or JSON. Where any line is something else,
 * it may be words of anybody.
 */
const entriesIn = (text: string): ReadonlySet<string> => {
  const names = yamlNames(text) ?? jsonNames(text) ?? [];
  const isPlain =
    names.length <= ENTRIES && names.every((name) => name.length <= ENTRY_CHARACTERS && !/[:\n]/.test(name));
  return new Set(isPlain ? names.map(lettersOf) : []);
};

const yamlNames = (text: string): string[] | undefined => {
  const names: string[] = [];
  for (const line of text.trim().split('\n')) {
    const found = ENTRY.exec(line.trimEnd());
    if (found === null) return undefined;
    names.push(found[1] ?? found[2] ?? found[3] ?? '');
  }
  return names;
};

const jsonNames = (text: string): string[] | undefined => {
  const value = jsonIn(text);
  return Array.isArray(value) && value.every((name) => typeof name === 'string') ? value : undefined;
};

const jsonIn = (text: string): JsonObject | JsonValue[] | undefined => {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseNested(text) as JsonObject | JsonValue[];
  } catch {
    return undefined;
  }
};
