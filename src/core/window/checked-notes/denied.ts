/** Notes that hold what the person denied, corrected, or does not want changed. */
import { claimsPermission } from '../contradicted.ts';
import { valueKeys } from '../distinctive.ts';
import type { Exchange } from '../exchanges.ts';
import { itemNamed } from '../item-named.ts';
import { type Act, actsIn, mayBeDone } from './acts.ts';
import { isSamePlace, normalized, placesIn, valuesIn, withoutPlaces } from './claims.ts';
import {
  CONTRAST_WORDS,
  clausesIn,
  clauseValues,
  isCorrectionOf,
  type Statement,
  sentenceKeys,
} from './person-said.ts';
import { createSaidIndex, type SaidIndex } from './said-index.ts';
import { isSameWord, isTelling, sharedWords } from './same-words.ts';
import { isSameValue } from './whole-values.ts';

export type NotePart = 'goal' | 'decision' | 'fact' | 'open';

type Sources = {
  statements: readonly Statement[];
  exchanges: readonly Exchange[];
  /** Whether one line of what the notes were written of holds a value and as many of these words, by default one. */
  holdTogether: (value: string, words: readonly string[], least?: number) => boolean;
};

type Said = Sources & { index: SaidIndex };

export const createDenials = (sources: Sources): ((note: string, part: NotePart) => boolean) => {
  const said = { ...sources, index: createSaidIndex(sources.statements) };
  const corrections = correctionsIn(said.exchanges, said.statements);
  const denied = deniedWordsIn(said.statements);
  return (note, part) =>
    namesProtected(note, part, said.statements) ||
    clausesIn(note)
      .filter(({ isDenied }) => !isDenied)
      .map((clause) => (isValueAlone(clause) ? { ...clause, text: note, keys: valueKeys(note) } : clause))
      .some(
        (clause) =>
          valuesIn(clause.text).some(
            (value) =>
              isDeniedValue(value, clause, said) || isReplaced(value, clause, said) || isOutdated(value, clause, said),
          ) ||
          holdsDeniedWord(clause, denied, said.statements) ||
          corrections.some((correction) => isCorrected(note, clause, correction)),
      );
};

/** "float: 200" */
const isValueAlone = ({ keys }: Statement): boolean => keys.every((key) => /\p{N}/u.test(key) || !isTelling(key));
const has = (statement: Statement, value: string): boolean =>
  clauseValues(statement).some((one) => isSameValue(one, value));
/** "No more than 40" denies no 40. */
const LIMIT =
  /\b(?:more|less|fewer|later|earlier|longer than|over|under|before|after|until|beyond|mehr als|weniger|später|früher|vor|nach|über|unter|plus de|moins de|avant|après|más de|menos|antes|después|mais de|più di|prima|dopo)\b|больше|меньше|позже|раньше|超过|以上|以下|未満|まで|이상|이하/iu;

/** Of all that the person said of a value, what speaks most of the same decides; of two the later one. */
const isDeniedValue = (value: string, clause: Statement, { index, holdTogether }: Said): boolean => {
  const holding = index.withValue(value).filter((one) => !(one.isDenied && LIMIT.test(one.text)));
  let most = 0;
  let decides: Statement | undefined;
  for (const one of holding) {
    const shared = sharedWords(clause.keys, sentenceKeys(one)).filter((word) => !/\p{N}/u.test(word)).length;
    if (shared < most) continue;
    [most, decides] = [shared, one];
  }
  if (!decides?.isDenied) return false;
  return most > 0 || !holdTogether(value, clause.keys);
};

/** The person gave another value for the same, or gave one where nothing else has both. */
const isReplaced = (value: string, clause: Statement, { index, holdTogether }: Said): boolean => {
  const subject = valueKeys(withoutPlaces(clause.text)).filter((key) => !/\p{N}/u.test(key) && isTelling(key));
  if (subject.length === 0) return false;
  let most = 0;
  let words = 0;
  let best: Statement[] = [];
  for (const { one, ofSentence, ofClause } of index.about(subject)) {
    if (one.isDenied || one.isCorrected || clauseValues(one).length === 0) continue;
    // Its own clause tells more of what it is about than the rest of its sentence.
    const shared = ofClause + ofSentence;
    if (shared < most || ofSentence * 2 < subject.length) continue;
    best = shared > most ? [one] : [...best, one];
    [most, words] = [shared, ofSentence];
  }
  const last = best.at(-1);
  if (most === 0 || last === undefined || has(last, value)) return false;
  const others = clauseValues(last);
  const [other = ''] = others;
  // "Rye bread is 4.60 from January", after all that was said of its price.
  if (index.withValue(value).some((one) => one.at > last.at && givesAnew(one, other, subject, last))) return false;
  const isOfSame = others.length === 1 || others.some((other) => valuesIn(clause.text).includes(other));
  if (!isOfSame) return false;
  if (!best.some((one) => has(one, value))) return !holdTogether(value, subject, words);
  // Of more than two they are a row of things, and not one that changes.
  return new Set(best.flatMap((one) => clauseValues(one))).size < ENUMERATED_VALUES;
};

const ENUMERATED_VALUES = 4;

const subjectOf = (text: string): string[] =>
  valueKeys(withoutPlaces(text)).filter((key) => !/\p{N}/u.test(key) && isTelling(key));
/** What the person said last with this value, of the same thing. */
const lastWith = (value: string, subject: readonly string[], { index }: Said): Statement | undefined =>
  index
    .withValue(value)
    .findLast((one) => !one.isDenied && sharedWords(subject, sentenceKeys(one)).length * 2 >= subject.length);

const isOutdated = (value: string, clause: Statement, said: Said): boolean => {
  const subject = subjectOf(clause.text);
  const last = subject.length > 0 ? lastWith(value, subject, said) : undefined;
  if (last === undefined) return false;
  // What gives it anew speaks of half of the subject.
  return said.index
    .about(subject)
    .some(
      ({ one, ofSentence }) =>
        one.at > last.at && ofSentence * 2 >= subject.length && givesAnew(one, value, subject, last),
    );
};

/** Another value stands in it behind the thing alone: "The deposit: 900 now", not "The deposit of the boat is 900". */
const givesAnew = (one: Statement, value: string, subject: readonly string[], before: Statement): boolean => {
  const values = clauseValues(one);
  if (one.isDenied || values.length !== 1 || has(one, value)) return false;
  const thing = thingOf(one);
  const known = sentenceKeys(before);
  return (
    thing.length > 0 &&
    sharedWords(thing, known).length === thing.length &&
    sharedWords(subject, thing).length * 2 >= subject.length
  );
};

/** "Not alder, birch": a word that is no value, in the short other side of what stands. */
type DeniedWords = { at: number; after: number; words: readonly string[] };
const deniedWordsIn = (statements: readonly Statement[]): DeniedWords[] =>
  statements.flatMap((one, index) => {
    if (!one.isDenied || one.keys.length > CONTRAST_WORDS || one.text === one.sentence) return [];
    const words = one.keys.filter((key) => isTelling(key) && !/\p{N}/u.test(key));
    return words.length > 0 ? [{ at: one.at, after: index + 1, words }] : [];
  });

const holdsDeniedWord = (
  clause: Statement,
  denied: readonly DeniedWords[],
  statements: readonly Statement[],
): boolean =>
  denied.some(({ at, after, words }) => {
    if (!words.every((word) => clause.keys.some((key) => isSameWord(key, word)))) return false;
    const isAgain = statements
      .slice(after)
      .some((later) => !later.isDenied && later.at > at && sharedWords(words, later.keys).length > 0);
    return !isAgain;
  });

type Correction = { gone: readonly string[]; values: readonly string[]; instead: readonly string[] };

/** What a message says no more, and what the next one says in its place. */
const correctionsIn = (exchanges: readonly Exchange[], statements: readonly Statement[]): Correction[] =>
  exchanges.flatMap((exchange, at) => {
    const first = exchanges[at - 1];
    if (first === undefined || !isCorrectionOf(exchange, first)) return [];
    const chosen = first.chosenAgain ?? itemNamed(first.said, first.answer) ?? '';
    const now = `${exchange.said}\n${exchange.chosenAgain ?? ''}`;
    const before = `${correctedPart(first.said, now)}\n${chosen}`;
    const [old, fresh] = [valueKeys(before), valueKeys(now)];
    const again = statements.filter((one) => one.at > at && !one.isDenied).flatMap(({ keys }) => keys);
    const instead = fresh.filter((key) => isTelling(key) && !old.includes(key));
    const values = valuesIn(before).filter((value) => !valuesIn(now).includes(value) && !again.includes(value));
    return [{ gone: old.filter((key) => isTelling(key) && !again.includes(key)), values, instead }];
  });

/** Of a message that says several things, what the correction is about. */
const correctedPart = (said: string, now: string): string => {
  const clauses = clausesIn(said);
  const words = valueKeys(now).filter(isTelling);
  const about = clauses.filter(({ keys }) => sharedWords(keys.filter(isTelling), words).length > 0);
  const valued = valuesIn(now).length > 0 ? clauses.filter(({ text }) => valuesIn(text).length > 0) : [];
  const [part = clauses] = [about, valued].filter(({ length }) => length > 0);
  return part.map(({ text }) => text).join('\n');
};

const isCorrected = (note: string, { keys, text }: Statement, { gone, values, instead }: Correction): boolean => {
  const told = keys.filter(isTelling);
  if (sharedWords(valueKeys(note), instead).length > 0) return false;
  const isAbout = sharedWords(told, gone).length >= Math.max(1, told.length / 2);
  return isAbout || (valuesIn(text).some((value) => values.includes(value)) && sharedWords(told, gone).length > 0);
};

/** It speaks of a file that is not to be changed, as if it were to be or had been. */
const namesProtected = (note: string, part: NotePart, statements: readonly Statement[]): boolean => {
  if (clausesIn(note).some(({ isDenied, isProtective }) => isDenied || isProtective)) return false;
  return placesIn(note).some((place) => {
    const about = statements.filter((one) => one.places.some((other) => isSamePlace(place, other)));
    const last = about.findLast((one) => one.isProtective || (one.acts.size > 0 && !one.isDenied));
    return last?.isProtective === true && isAgainst(note, part, last.acts);
  });
};

const isAgainst = (note: string, part: NotePart, forbidden: ReadonlySet<Act>): boolean => {
  const acts = actsIn(note);
  const isAnyChange = forbidden.size === 0 || forbidden.has('change');
  if (!isAnyChange)
    return [...acts].some(
      (act) => forbidden.has(act) || (LOSES.has(act) && [...forbidden].some((one) => LOSES.has(one))),
    );
  if (acts.size > 0 || claimsPermission(note) || mayBeDone(note)) return true;
  return part !== 'fact' && !LOOKS.test(normalized(note));
};
const LOSES: ReadonlySet<Act> = new Set(['delete', 'overwrite']);
/** Reading changes nothing. */
const LOOKS =
  /(?<!\p{L})(?:read|look|check|see|show|view|inspect|compare|lies|lesen|ansehen|anschauen|prüf\p{L}*|lire|lis|leer|lee|ler|leggi|leggere|czyta\p{L}*|lezen|чита\p{L}*|прочит\p{L}*|اقرأ|पढ़)(?!\p{L})|读|讀|看|読|見|읽|보기/iu;

/** What stands before the value of a statement, found once. */
const thingOf = (statement: Statement): readonly string[] => {
  const { sentence } = statement;
  const at = sentence.indexOf(clauseValues(statement)[0] ?? '');
  const thing = things.get(statement) ?? subjectOf(sentence.slice(0, Math.max(0, at)));
  things.set(statement, thing);
  return thing;
};
const things = new WeakMap<Statement, readonly string[]>();
