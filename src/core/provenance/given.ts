/**
 * What a server says of its own things: which id a thing has, and which things there are. Such a word counts for calls to
 * that very server, where the person asked for the call and all else in it is theirs.
 */
import { lettersOf, type TextIndex, wordsOf } from './text-index.ts';
import type { WeightyValue } from './values.ts';

/** An answer of a tool. */
export type Answer = { tool: string | undefined; text: string; index(): TextIndex };

const SERVER = /^mcp__(.+?)__(.+)$/;

/** Whether one of the answers gives this value as a whole; `text` is the part of it that is weighed. */
export const isGiven = (
  tool: string,
  value: WeightyValue | undefined,
  text: string,
  answers: readonly Answer[],
): boolean => {
  const server = SERVER.exec(tool)?.[1];
  if (value === undefined || value.text !== text || server === undefined) return false;
  return answers.some((answer) => {
    const from = SERVER.exec(answer.tool ?? '');
    if (from?.[1] !== server) return false;
    if (value.role === 'id') return answer.index().holdsIdField(lettersOf(text));
    return listsNames(from[2] ?? '', value.argument) && entriesIn(answer.text).has(lettersOf(text));
  });
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
  if (!text.trimStart().startsWith('[')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((name) => typeof name === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
};
