/**
 * What says anew, however much later, what was said before: "Beat sews the cover" behind "Noemi sews the cover". The old one
 * alone is wrong, so it does not stand without the new one.
 */
import { isTelling } from './checked-notes/same-words.ts';
import { hasValue, isQuestion, UNSPACED, valueKeys } from './distinctive.ts';
import type { ReadMessage, ReadSentence } from './read-messages.ts';
import { saysAnew } from './renewing-words.ts';
import { isWish } from './wishes.ts';

/** A sentence, by its message and its place in it. */
export type Place = { message: number; index: number };
/** `told`: it says so itself, of something that was said; `alike`: it says something else of the same; `maybe`: it says so of nothing that is found. */
export type Renewing = 'told' | 'alike' | 'maybe';
export type Renewal = { renews: Renewing | undefined; renewedBy: readonly Place[] };

/** For each sentence of each message what it renews, and what renews it: the newest few. */
export const renewalsIn = (all: readonly ReadMessage[]): Renewal[][] => {
  const messages = all.map(({ sentences }) => sentences.map(toldIn));
  const said = new Map<string, Mentions>();
  const found = messages.map((own) =>
    own.map(() => ({ told: [] as Place[], alike: [] as Place[], renews: undefined as Renewing | undefined })),
  );
  const often = oftenIn(messages);
  for (const [message, own] of messages.entries()) {
    const isShort = own.reduce((sum, told) => sum + (told?.said.length ?? 0), 0) <= SHORT_CHARACTERS;
    for (const [index, told] of own.entries()) {
      if (told === undefined || told.isPasted) continue;
      const isAnew = told.isBrief && saysAnew(told.said);
      const olds = oldsOf(told, { said, often, isAnew }, messages);
      const renews = renewing(told, isAnew, olds);
      // "Noemi has no time. Beat sews the cover.": all of a short message says it.
      const indices = isShort ? [...own.keys()] : [index];
      for (const at of indices) {
        const one = found[message]?.[at];
        if (one && renews && one.renews !== 'told') one.renews = renews;
        for (const old of olds) {
          const into = found[old.message]?.[old.index];
          (isAnew ? into?.told : into?.alike)?.push({ message, index: at });
        }
      }
    }
    for (const [index, told] of own.entries())
      for (const stem of told?.stems ?? []) mention(said, stem, { message, index });
  }
  return found.map((own) =>
    own.map(({ told, alike, renews }) => ({
      renews,
      renewedBy: [...alike.slice(-ALIKE_KEPT), ...told.slice(-TOLD_KEPT)],
    })),
  );
};
const TOLD_KEPT = 4;
const ALIKE_KEPT = 2;
const MAYBE_CHARACTERS = 80;
const SHORT_CHARACTERS = 160;

const renewing = ({ said }: Told, isAnew: boolean, olds: readonly Place[]): Renewing | undefined => {
  if (olds.length > 0) return isAnew ? 'told' : 'alike';
  return isAnew && said.length <= MAYBE_CHARACTERS && hasValue(said) ? 'maybe' : undefined;
};

type Told = {
  said: string;
  stems: ReadonlySet<string>;
  isPasted: boolean;
  /** It asks for something. */
  isAsking: boolean;
  isValue: boolean;
  /** Not one of the long sentences in which "now" and "only" are words like others. */
  isBrief: boolean;
};
/** A question tells nothing; a reply also tells what was asked. */
const toldIn = ({ said, keys, isReply, isAsked, isPasted }: ReadSentence): Told | undefined => {
  if (isQuestion(said)) return undefined;
  const own = isReply && !isAsked ? valueKeys(said) : keys;
  return {
    said,
    stems: new Set(own.filter(isOfThing).map(stemOf)),
    isPasted,
    isAsking: isWish(said) || (isReply && !isAsked),
    isValue: hasValue(said),
    isBrief: said.length <= BRIEF_CHARACTERS,
  };
};
const BRIEF_CHARACTERS = 110;
/** A number of one digit is of anything. */
const isOfThing = (key: string): boolean => isTelling(key) && !/^\p{N}$/u.test(key);
/** With other endings too. */
const stemOf = (key: string): string =>
  UNSPACED.test(key) || /\p{N}/u.test(key) ? key : key.slice(0, STEM_CHARACTERS);
const STEM_CHARACTERS = 4;

/** Where a word was said; none of them where it was said too often. */
type Mentions = { places: Place[]; isOften: boolean };
const mention = (said: Map<string, Mentions>, stem: string, place: Place): void => {
  const before = said.get(stem);
  if (before === undefined) said.set(stem, { places: [place], isOften: false });
  else if (before.places.length < MENTIONS_MAX) before.places.push(place);
  else before.isOften = true;
};
const MENTIONS_MAX = 64;
/** What more messages than this speak of is no one thing. */
const MESSAGES_MAX = 8;
const oftenIn = (messages: readonly (readonly (Told | undefined)[])[]): ReadonlySet<string> => {
  const counts = new Map<string, number>();
  for (const own of messages)
    for (const stem of new Set(own.flatMap((told) => [...(told?.stems ?? [])])))
      counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count > MESSAGES_MAX).map(([stem]) => stem));
};

type Looking = { said: ReadonlyMap<string, Mentions>; often: ReadonlySet<string>; isAnew: boolean };
const oldsOf = (
  { stems, isAsking, isValue }: Told,
  { said, often, isAnew }: Looking,
  messages: readonly (readonly (Told | undefined)[])[],
): Place[] => {
  const counts = new Map<Told, { place: Place; shared: number }>();
  for (const stem of stems) {
    const mentions = said.get(stem);
    if (mentions === undefined || mentions.isOften || often.has(stem)) continue;
    for (const place of mentions.places) {
      const told = messages[place.message]?.[place.index];
      if (told === undefined) continue;
      const count = counts.get(told);
      if (count === undefined) counts.set(told, { place, shared: 1 });
      else count.shared += 1;
    }
  }
  return [...counts].flatMap(([old, { place, shared }]) => {
    if (isAnew) return [place];
    if (isAsking || shared < SHARED_LEAST || shared === stems.size) return [];
    const share = shared / Math.min(stems.size, old.stems.size);
    const isSameThing = isValue && old.isValue ? share >= SHARED_SHARE : share >= SHARED_SHARE_WITHOUT_VALUE;
    return isSameThing ? [place] : [];
  });
};
const SHARED_LEAST = 2;
const SHARED_SHARE = 1 / 2;
const SHARED_SHARE_WITHOUT_VALUE = 2 / 3;
