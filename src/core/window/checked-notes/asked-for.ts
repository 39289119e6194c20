/** Whether what a note wants, claims done or tells of somebody was asked for, done or said. */
import { claimsPermission } from '../contradicted.ts';
import { valueKeys } from '../distinctive.ts';
import type { Exchange } from '../exchanges.ts';
import { type Act, actsIn, CONSEQUENTIAL, mayBeDone } from './acts.ts';
import { isSamePlace, namesIn, normalized, placesIn, withoutPlaces } from './claims.ts';
import type { NotePart } from './denied.ts';
import { clausesIn, type Statement, sentenceKeys } from './person-said.ts';
import { isTelling, sharedWords } from './same-words.ts';

type Said = {
  statements: readonly Statement[];
  exchanges: readonly Exchange[];
  /** The calls that ran, each with its arguments. */
  calls: readonly string[];
  /** What the model told the person. */
  byModel: readonly string[];
  /** A result holds it in the same words. */
  isFound: (note: string) => boolean;
};

export const createAskedFor = (said: Said): ((note: string, part: NotePart) => boolean) => {
  const wanted = said.statements.filter(({ isDenied }) => !isDenied);
  const keys = [...new Set(wanted.flatMap((one) => one.keys))];
  const plans = said.byModel.map((text) => valueKeys(text));
  return (note, part) => {
    const acts = actsOf(note, part);
    if (!acts.every((act) => isCovered(note, part, act, said))) return false;
    if (part === 'fact' || part === 'decision') return true;
    const isNamed = placesIn(note).some((place) =>
      wanted.some((one) => !one.isProtective && one.places.some((other) => isSamePlace(place, other))),
    );
    if (isNamed) return true;
    const told = valueKeys(note).filter(isTelling);
    if (sharedWords(told, keys).length > 0) return true;
    return part === 'open' && plans.some((plan) => sharedWords(told, plan).length >= told.length * PLAN_SHARE);
  };
};
/** The model said so to the person, who had nothing against it. */
const PLAN_SHARE = 0.6;

/** What cannot be taken back, of what is wanted; of a finding, what it says was done or may be done. */
const actsOf = (note: string, part: NotePart): Act[] => {
  const clauses = clausesIn(note).filter(({ isDenied }) => !isDenied);
  const acts = [...new Set(clauses.flatMap(({ acts: own }) => [...own]))].filter((act) => CONSEQUENTIAL.includes(act));
  return part !== 'fact' || isDone(note) || mayBeDone(note) ? acts : [];
};

/** Of code it is said what it does; of a file, or of work, that it was done. */
const isDone = (note: string): boolean => DONE.test(withoutPlaces(note, '§'));
const DONE = new RegExp(
  [
    // A file that stands before the verb, and is no place where it happens.
    '(?<!(?<!\\p{L})(?:in|by|of|from|with|at|on|via|von|im|durch|par|dans|en|de|por|nel) )§[:,]? (?:\\p{L}+ ){0,3}?\\p{L}+',
    '^\\p{L}+(?:ed|t|en|é|ée|ado|ido|ato|uto)? §',
    '(?<!\\p{L})(?:(?:was|were|been|got)|wurden?|worden|été|fue(?:ron)?|sido|stat[oaie]|foi|foram|zosta[łl]\\p{L}*|werd(?:en)?|был[аои]?)(?!\\p{L})',
    '(?<!\\p{L})(?:user|you|i|we|they|he|she) (?:have |has )?(?:deleted|removed|erased|wiped|overwrote|rewrote|replaced|committed|pushed|merged|published|deployed|sent|uploaded|paid)(?!\\p{L})',
    '^(?:deleted|removed|erased|wiped|overwrote|rewrote|replaced|reset|committed|pushed|merged|published|deployed|sent|uploaded|paid)(?!\\p{L})',
    '已|了$|しました|済み|했|됨|완료',
  ].join('|'),
  'iu',
);

const isCovered = (
  note: string,
  part: NotePart,
  act: Act,
  { statements, exchanges, calls, isFound }: Said,
): boolean => {
  const places = placesIn(note);
  const told = valueKeys(note).filter((key) => isTelling(key) && actsIn(key).size === 0);
  const isAsked = statements.some(
    (one) =>
      one.acts.has(act) &&
      !one.isDenied &&
      (part === 'fact' || !one.isReserved) &&
      agrees(one, { places, told }, exchanges[one.at]),
  );
  if (isAsked || part !== 'fact') return isAsked;
  if (!mayBeDone(note) && !claimsPermission(note) && isFound(note)) return true;
  return calls.some((call) => {
    const named = placesIn(call);
    const isSame = places.length === 0 || places.some((place) => named.some((other) => isSamePlace(place, other)));
    return isSame && (actsIn(call.replaceAll(/[_"{:]/g, ' ')).has(act) || (act === 'overwrite' && WRITES.test(call)));
  });
};
const WRITES = /^(?:write|edit|replace)/;

type Wanted = { places: readonly string[]; told: readonly string[] };
/** It speaks of the same: by a file, by a word, or by nothing but "it", of which was spoken. */
const agrees = (one: Statement, { places, told }: Wanted, exchange: Exchange | undefined): boolean => {
  const own = one.keys.filter((key) => isTelling(key) && actsIn(key).size === 0);
  const isBare = own.length === 0;
  if (places.length === 0)
    return isBare || sharedWords(told, [...own, ...sentenceKeys(one)].filter(isObject)).length > 0;
  if (one.places.length > 0) return places.some((place) => one.places.some((other) => isSamePlace(place, other)));
  const around = normalized(`${exchange?.answer ?? ''}\n${exchange?.before ?? ''}`);
  if (isBare) return places.some((place) => placesIn(around).some((other) => isSamePlace(place, other)));
  return sharedWords(told, own).length > 0;
};
const isObject = (key: string): boolean => isTelling(key) && actsIn(key).size === 0;

/**
 * Of somebody whom the person alone spoke of, a note says half of what it says in their words, where it is in the same
 * language: "Jette is the cashier" is not "my daughter Jette is allergic".
 */
export const createTellsOfPerson = (
  byPerson: readonly string[],
  byTools: (name: string) => boolean,
): ((note: string) => boolean) => {
  let said: { texts: readonly string[]; keys: readonly string[] } | undefined;
  return (note) => {
    said ??= { texts: byPerson.map(normalized), keys: [...new Set(byPerson.flatMap((text) => valueKeys(text)))] };
    const names = [...namesIn(note), ...(note.match(/^\p{Lu}[\p{L}\p{M}]+/u) ?? [])].map(normalized);
    if (names.every(byTools)) return true;
    const about = said.texts.filter((text) => names.some((name) => text.includes(name)));
    if (about.length === 0) return true;
    const words = (normalized(note).match(WORDS) ?? []).filter((word) => FUNCTION.has(word));
    if (!about.some((text) => (text.match(WORDS) ?? []).some((word) => words.includes(word)))) return true;
    const told = valueKeys(note).filter((key) => isTelling(key) && !names.includes(key));
    return sharedWords(told, said.keys).length >= told.length / 2;
  };
};
const WORDS = /[\p{L}\p{M}]+/gu;
const FUNCTION = new Set(
  // Those of one language alone: "in" is a word of three.
  'the is are has my our and of to on at by for der das ist hat mein meine und von zu im um für le les est mon ma et du el mi y del é meu minha il è mio mia это мой моя и в на'.split(
    ' ',
  ),
);
