/**
 * Notes of a model hold what it was told and what it made up, and both read alike. A note that names a number, a date, a
 * path, an address or a name that stands nowhere in what it was written of is not kept. True pieces put together anew are
 * no decision: one counts as such only where a single message holds it. What the person said holds: a note that says the
 * opposite is not kept, and neither is a goal that only a file or a page spoke of, or a permission that the person did not give.
 */
import { withoutEnd } from '../without-end.ts';
import { claimsPermission, createContradictions, type NoteKind } from './contradicted.ts';
import { wordKeys } from './distinctive.ts';
import type { ConversationNotes } from './notes.ts';

export type NoteSources = {
  /** The texts that the notes were written of. */
  read: readonly string[];
  /** What the person and the model said in the conversation, message by message. */
  said: readonly string[];
  /** The person alone. */
  byPerson: readonly string[];
};

/** Undefined where nothing of use is left. */
export const checkedNotes = (
  notes: ConversationNotes,
  { read, said, byPerson }: NoteSources,
): ConversationNotes | undefined => {
  const all = textOf(read.join('\n'));
  const names = new Set(read.flatMap(namesIn).map(normalized));
  const isSaidIn = (texts: readonly Text[], note: string): boolean => {
    const claims = [
      ...claimsIn(note),
      ...(note.match(FIRST_WORD) ?? []).map(normalized).filter((word) => names.has(word)),
    ];
    return texts.some((text) => holds(text, claims) && says(text, note));
  };
  const [each, person, together] = [said.map(textOf), byPerson.map(textOf), textOf(said.join('\n'))];
  const contradicts = createContradictions(byPerson);
  const kept = (items: readonly string[] = [], kind: NoteKind = 'decision'): string[] =>
    items.filter(
      (item) =>
        holds(all, claimsIn(item)) && !contradicts(item, kind) && (!claimsPermission(item) || isSaidIn(person, item)),
    );
  const decisions = kept(notes.decisions);
  const isSaid = (note: string): boolean => isSaidIn(each, note);
  const checked = {
    // What somebody wrote into a file is no goal of the person.
    goal: kept([notes.goal ?? '']).find((goal) => says(together, goal) || !says(all, goal, NEARLY_ALL)) ?? '',
    decisions: decisions.filter(isSaid),
    // What nobody said in one piece is the model's own.
    facts: [...kept(notes.facts, 'fact'), ...decisions.filter((note) => !isSaid(note))],
    open: kept(notes.open),
  };
  return Object.values(checked).some((part) => part.length > 0) ? checked : undefined;
};

/** What is looked for is found when it is asked for: most notes ask for little. */
type Text = { text(): string; words(): ReadonlySet<string>; keys(): ReadonlySet<string> };
const textOf = (whole: string): Text => {
  const text = once(() => normalized(whole));
  return {
    text,
    words: once(() => new Set(text().match(WORDS) ?? [])),
    keys: once(() => new Set(wordKeys(whole).map(stem))),
  };
};
const once = <T extends string | ReadonlySet<string>>(find: () => T): (() => T) => {
  let found: T | undefined;
  return () => {
    found ??= find();
    return found;
  };
};

const holds = ({ text, words }: Text, claims: readonly string[]): boolean =>
  claims.every((claim) => words().has(claim) || (NOT_ONE_WORD.test(claim) && text().includes(claim)));

/** Most of its words, whatever their endings. */
const says = (text: Text, note: string, share = SAID_SHARE): boolean => {
  const keys = wordKeys(note).map(stem);
  return keys.filter((key) => text.keys().has(key)).length >= keys.length * share;
};
/** A name there, where it is one elsewhere. */
const FIRST_WORD = /^\p{Lu}[\p{L}\p{M}]+/u;
const SAID_SHARE = 0.5;
const NEARLY_ALL = 0.8;
const STEM_CHARACTERS = 5;
const stem = (word: string): string => word.slice(0, STEM_CHARACTERS);

const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
const NOT_ONE_WORD = /[^\p{L}\p{M}\p{N}]/u;

/** Letters of one form, and numbers without the signs that part their thousands. */
const normalized = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/(?<=\p{N})[,.'’_\u00a0\u202f ](?=\p{N}{3}(?!\p{N}))/gu, '');

/** Each by itself: every word with a number in it, what names a place, and what is written as a name. */
const claimsIn = (note: string): string[] => [
  ...(normalized(note).match(NUMBERED) ?? []),
  ...(note.match(PLACE) ?? []).map((place) => normalized(withoutEnd(place, /[.,:;]/))),
  ...(note.match(OPTION) ?? []).map(normalized),
  ...namesIn(note).map(normalized),
];
/** Of a command, or a variable. */
const OPTION = /(?<![\p{L}\p{N}])(?:-{1,2}\p{L}[\p{L}\p{N}-]*|\$\p{L}[\p{L}\p{N}_]*|~)/gu;
const NUMBERED = /(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}\p{N}]*\p{N}[\p{L}\p{M}\p{N}]*/gu;
const PLACE =
  /(?<![\p{L}\p{N}_.:~@-])[\p{L}\p{N}_.:~@-]*(?:\/|@)[\p{L}\p{N}_./:@?=&%#-]+|(?<![\p{L}\p{N}_-])[\p{L}\p{N}_-]+\.\p{Ll}[\p{L}\p{N}]*/gu;

/** A capital in the middle of a sentence, or within a word; the first word of a note has one anyway. */
const namesIn = (note: string): string[] => note.match(NAME) ?? [];
const NAME = /(?<=[\p{L}\p{N},;)"'“”„«»] ["'“„«(]?)\p{Lu}[\p{L}\p{M}]+|(?<!\p{Ll})\p{Ll}+\p{Lu}[\p{L}]*/gu;
