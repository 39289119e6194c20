/**
 * Notes of a model hold what it was told and what it made up, and both read alike. A note that names a number, a date, a
 * path, an address or a name that stands nowhere in what it was written of is not kept. True pieces put together anew are
 * no decision: one counts as such only where a single message holds it. What the person said holds: a note that says the
 * opposite of it, or what they corrected, is not kept. Neither is a goal or something to do that they did not ask for, a
 * permission that they did not give, or a deletion, a commit or the like without their own words or a call that did it.
 * In doubt a note is not kept: what the person said stands there anyway.
 */

import { createAskedFor, createTellsOfPerson } from './checked-notes/asked-for.ts';
import { createBorneOut } from './checked-notes/borne-out.ts';
import { claimsIn, namesIn, normalized, withoutSigns } from './checked-notes/claims.ts';
import { createDenials, type NotePart } from './checked-notes/denied.ts';
import { isFirstWord } from './checked-notes/first-words.ts';
import { createFound } from './checked-notes/found.ts';
import { withDigits } from './checked-notes/number-words.ts';
import { createOver } from './checked-notes/over.ts';
import { passagesIn } from './checked-notes/passages.ts';
import { createPermitted } from './checked-notes/permitted.ts';
import { statementsIn } from './checked-notes/person-said.ts';
import { createReplaced } from './checked-notes/replaced.ts';
import { createRows } from './checked-notes/rows.ts';
import { createSettled } from './checked-notes/settled.ts';
import { holdsSpan, wholeForms, wholesOf } from './checked-notes/whole-values.ts';
import { createContradictions } from './contradicted.ts';
import { wordKeys } from './distinctive.ts';
import type { Exchange } from './exchanges.ts';
import type { ConversationNotes } from './notes.ts';

export type NoteSources = {
  /** The texts that the notes were written of, without what notes said before. */
  read: readonly string[];
  /** What the person and the model said in the conversation, message by message. */
  said: readonly string[];
  /** The person alone. */
  byPerson: readonly string[];
  /** The same with what stood before each; by default nothing did. */
  exchanges?: readonly Exchange[];
  /** What the model alone said. */
  byModel?: readonly string[];
  /** The calls that ran, each by its name and its arguments. */
  calls?: readonly string[];
  /** What calls returned. */
  results?: readonly string[];
  /** What calls that failed returned, with the reason. */
  failed?: readonly string[];
};

/** Undefined where nothing of use is left. */
export const checkedNotes = (notes: ConversationNotes, sources: NoteSources): ConversationNotes | undefined => {
  const { isKept } = createCheck(sources);
  const kept = (items: readonly string[] = [], part: NotePart = 'decision'): string[] =>
    items.filter((item) => item !== '' && isKept(item, part));
  const each = sources.said.map(textOf);
  const names = namesOf(sources);
  const isSaid = (note: string): boolean => isSaidIn(each, note, names);
  const decisions = kept(notes.decisions);
  return orNothing({
    goal: kept([notes.goal ?? ''], 'goal')[0] ?? '',
    decisions: decisions.filter(isSaid),
    // What nobody said in one piece is the model's own.
    facts: [...kept(notes.facts, 'fact'), ...decisions.filter((note) => !isSaid(note))],
    open: kept(notes.open, 'open'),
  });
};

/** Of notes that were checked when they were written: much of what bore them out is left out by now. */
export const standingNotes = (notes: ConversationNotes, sources: NoteSources): ConversationNotes | undefined => {
  const { isStanding } = createCheck(sources);
  const kept = (items: readonly string[] = [], part: NotePart): string[] =>
    items.filter((item) => item !== '' && isStanding(item, part));
  return orNothing({
    goal: kept([notes.goal ?? ''], 'goal')[0] ?? '',
    decisions: kept(notes.decisions, 'decision'),
    facts: kept(notes.facts, 'fact'),
    open: kept(notes.open, 'open'),
  });
};

const orNothing = (notes: Required<ConversationNotes>): ConversationNotes | undefined =>
  Object.values(notes).some((part) => part.length > 0) ? notes : undefined;

type Check = (item: string, part: NotePart) => boolean;

/** `isStanding`: nobody said otherwise. */
const createCheck = (sources: NoteSources): { isKept: Check; isStanding: Check } => {
  const { read, said, byPerson, byModel = [], calls = [], results = [], failed = [] } = sources;
  const exchanges = sources.exchanges ?? byPerson.map(alone);
  const statements = once(() => statementsIn(exchanges));
  const [all, together, ofTools] = [textOf(read.join('\n')), textOf(said.join('\n')), textOf(results.join('\n'))];
  const names = namesOf(sources);
  // Most notes that go need less than all of this.
  const contradicts = once(() => createContradictions(byPerson));
  const isDenied = once(() =>
    createDenials({ statements: statements(), exchanges, holdTogether: holdingTogether(read) }),
  );
  const isFound = createFound(results);
  const isAskedFor = once(() => createAskedFor({ statements: statements(), exchanges, calls, byModel, isFound }));
  const { isBorneOut, isSaidOtherwise } = createBorneOut({ exchanges, byModel, results, failed, calls, isFound });
  const passages = once(() => passagesIn(exchanges));
  const { isUnsettled, isSettledSo } = createSettled(exchanges, passages);
  const isReplaced = createReplaced(passages);
  const inRows = createRows(exchanges, passages);
  const isOver = once(() => createOver(exchanges));
  const told = once(() => [...byModel, ...results].flatMap((text) => normalized(text).split(SENTENCE_END)));
  const isPermitted = createPermitted({ exchanges, told });
  // What somebody wrote into a file is no wish of the person.
  const isWished = (item: string): boolean => says(together, item) || !says(all, item, NEARLY_ALL);
  const isSaidOf = createTellsOfPerson(byPerson, (name) => ofTools.words().has(name));
  const isOpposed: Check = (item, part) => contradicts()(item, KIND[part]) || isDenied()(item, part);
  const isSo: Check = (item, part) =>
    !isUnsettled(item, part) &&
    !isReplaced(item) &&
    inRows(item) !== 'mixed' &&
    (isSettledSo(item, part) ||
      inRows(item) === 'whole' ||
      (!isOpposed(item, part) && isAskedFor()(item, part) && isSaidOf(item) && isBorneOut(item, part)));
  const isToDo = (part: NotePart): boolean => part === 'goal' || part === 'open';
  return {
    isKept: (item, part) =>
      holds(all, claimsIn(item)) &&
      holdsWholes(all, item) &&
      (isFirstWord(item) || all.words().has(firstWordOf(item)) || names.has(firstWordOf(item))) &&
      isSo(item, part) &&
      isPermitted(item) &&
      (!isToDo(part) || (isWished(item) && !isOver()(item))),
    isStanding: (item, part) =>
      !isUnsettled(item, part) &&
      !isReplaced(item) &&
      !isOpposed(item, part) &&
      isAskedFor()(item, part) &&
      isPermitted(item) &&
      !isSaidOtherwise(item, part) &&
      !(isToDo(part) && isOver()(item)),
  };
};

const SENTENCE_END = /(?<=[.!?？。！])\s*|\n+/u;

const KIND = { goal: 'wish', open: 'wish', decision: 'decision', fact: 'fact' } as const;

const alone = (said: string, at: number, all: readonly string[]): Exchange => ({
  said,
  answer: '',
  before: all[at - 1] ?? '',
  chosenAgain: undefined,
  isCorrection: false,
});

const namesOf = ({ read }: NoteSources): ReadonlySet<string> =>
  new Set([...new Set(read.flatMap(namesIn))].map(normalized));
const isSaidIn = (texts: readonly Text[], note: string, names: ReadonlySet<string>): boolean => {
  const first = (note.match(FIRST_WORD) ?? []).map(normalized).filter((word) => names.has(word));
  const claims = [...claimsIn(note), ...first];
  return texts.some((text) => holds(text, claims) && holdsWholes(text, note) && says(text, note));
};
const firstWordOf = (note: string): string => normalized(FIRST_WORD.exec(note)?.[0] ?? '');

/** Whether one line has a value and as many of these words. */
const holdingTogether = (
  read: readonly string[],
): ((value: string, words: readonly string[], least?: number) => boolean) => {
  let lines: readonly string[] | undefined;
  return (value, words, least = 1) => {
    lines ??= read.flatMap((text) => normalized(text).split('\n'));
    return lines.some(
      (line) => hasValue(line, value) && words.filter((word) => line.includes(stem(word))).length >= least,
    );
  };
};

/** What is looked for is found when it is asked for: most notes ask for little. */
type Text = {
  text(): string;
  words(): ReadonlySet<string>;
  keys(): ReadonlySet<string>;
  wholes(): ReadonlySet<string>;
};
const textOf = (whole: string): Text => {
  const text = once(() => normalized(whole));
  return {
    text,
    words: once(
      () => new Set([text(), withoutSigns(text()), withDigits(text())].flatMap((one) => one.match(WORDS) ?? [])),
    ),
    keys: once(() => new Set(wordKeys(whole).map(stem))),
    wholes: once(() => wholeForms(text())),
  };
};
const once = <T extends string | object>(find: () => T): (() => T) => {
  let found: T | undefined;
  return () => {
    found ??= find();
    return found;
  };
};

const holds = ({ text, words }: Text, claims: readonly string[]): boolean =>
  claims.every((claim) => words().has(claim) || (NOT_ONE_WORD.test(claim) && text().includes(claim)));

const holdsWholes = ({ text, wholes }: Text, note: string): boolean =>
  wholesOf(note).every(
    ({ forms, parts, isSpan }) => forms.some((form) => wholes().has(form)) || (isSpan && holdsSpan(text(), parts)),
  );

/** "7" is not in "17". */
const hasValue = (line: string, value: string): boolean => {
  let at = line.indexOf(value);
  while (at >= 0) {
    if (!NUMBER.test(line[at - 1] ?? '') && !NUMBER.test(line[at + value.length] ?? '')) return true;
    at = line.indexOf(value, at + 1);
  }
  return false;
};
const NUMBER = /\p{N}/u;

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
