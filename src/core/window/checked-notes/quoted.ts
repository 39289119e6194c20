/** What the person said of what a note tells: their own sentences, with what these were said to. */
import { LIMITS } from '../../limits.ts';
import { isOpenQuestion } from '../asked-question.ts';
import { isQuestion } from '../distinctive.ts';
import type { Exchange } from '../exchanges.ts';
import { isNegative } from '../negative.ts';
import { createReadMessages } from '../read-messages.ts';
import { saidTo } from '../said-to.ts';
import { saysGoOn } from '../short-answers.ts';
import { placesIn } from './claims.ts';
import { createTakingBack } from './taking-back.ts';
import { toldIn } from './told-words.ts';
import { createWordIndex, type WordIndex } from './word-index.ts';

export type Quoted = {
  /** The person told most of it in one sentence. */
  isOfPerson: boolean;
  /** They forbid or deny something of what it speaks of. */
  isForbidden: () => boolean;
  /** The sentence that says most of it, the newest that speaks of the same, and what corrects or takes back either. */
  sentences: readonly Sentence[];
};
/** `place`: its place among all of them. */
type Sentence = Read & { place: number; message: number };
/** `said`: the person's words alone; `text` also says what they were said to. */
type Read = {
  text: string;
  said: string;
  told: readonly string[];
  isWish: boolean;
  /** Most of its words are the model's, who asked nothing. */
  isProposed: boolean;
};
type Said = {
  sentences: readonly Sentence[];
  index: WordIndex;
  /** Of wishes that are put as questions. */
  wishes: WordIndex;
  takingBackOf: ReturnType<typeof createTakingBack>;
};

export const createQuoted = (exchanges: readonly Exchange[]): ((note: string) => Quoted) => {
  let found: Said | undefined;
  const known = new Map<string, Quoted>();
  return (note) => {
    found ??= indexOf(exchanges);
    const before = known.get(note) ?? quotedOf(note, found, exchanges);
    known.set(note, before);
    return before;
  };
};

const quotedOf = (note: string, said: Said, exchanges: readonly Exchange[]): Quoted => {
  const told = toldIn(note);
  const counts = said.index.counts(told);
  const countOf = (place: number): number => counts.get(place) ?? 0;
  const about = [...counts.keys()].filter((place) => countOf(place) >= told.length * ABOUT_SHARE);
  const most = about.reduce((best, place) => Math.max(best, countOf(place)), 0);
  // "The deposit: 900 now" has another number of the same, and hardly another word.
  const anew = [...counts.keys()].filter(
    (place) =>
      givesAnew(told, said.sentences[place]?.told ?? []) &&
      countOf(place) * 2 >= (said.sentences[place]?.told.length ?? 0),
  );
  const newest = latestOf(about.length > 0 ? [...about, ...anew] : []);
  const best = latestOf(about.filter((place) => countOf(place) === most));
  const { message = -1 } = said.sentences[best] ?? {};
  const chosen =
    best < 0
      ? [...ofPlaces(note, said), ...wishOf(told, said)]
      : [best, newest, ...correctingOf(message, said, exchanges)];
  const places = [...chosen, ...chosen.flatMap(said.takingBackOf)];
  return {
    isOfPerson: about.some(
      (place) =>
        countOf(place) >= told.length * (said.sentences[place]?.isProposed === true ? PROPOSED_SHARE : PERSONS_SHARE),
    ),
    isForbidden: () => [...counts.keys()].some((place) => isNegative(said.sentences[place]?.said ?? '')),
    sentences: [...new Set(places)].map((place) => said.sentences[place] as Sentence),
  };
};
/** A third would be a word of a sentence about something else. */
const ABOUT_SHARE = 0.4;
const PERSONS_SHARE = 0.5;
/** Who says little to something else did not speak of it. */
const PROPOSED_SHARE = 0.8;

/** What they only asked for, where they told nothing of it. */
const wishOf = (told: readonly string[], { wishes }: Said): number[] => {
  const counts = wishes.counts(told);
  const about = [...counts.keys()].filter((place) => (counts.get(place) ?? 0) >= told.length * ABOUT_SHARE);
  return about.length === 0 ? [] : [latestOf(about)];
};

const givesAnew = (told: readonly string[], other: readonly string[]): boolean =>
  told.some(isNumber) && other.some((word) => isNumber(word) && !told.includes(word));
const isNumber = (word: string): boolean => /^\p{N}/u.test(word);

/** In other words they speak of the same file: what they said of it first, which may be a rule, and what they said last. */
const ofPlaces = (note: string, { index }: Said): number[] => {
  const naming = placesIn(note).flatMap((place) => index.holding(place));
  const last = latestOf(naming);
  return naming.length === 0 ? [] : [naming.reduce((first, place) => Math.min(first, place), last), last];
};
/** A long paste has more places than a call may have arguments. */
const latestOf = (places: readonly number[]): number => places.reduce((last, place) => Math.max(last, place), -1);

/** "No, 9200" behind what it corrects, and before it: neither stands without the other. */
const correctingOf = (message: number, { sentences }: Said, exchanges: readonly Exchange[]): number[] =>
  [message, message + 1]
    .filter((at) => exchanges[at]?.isCorrection === true)
    .flatMap((at) => [at - 1, at])
    .flatMap((at) => sentences.flatMap((one, place) => (one.message === at ? [place] : [])).slice(0, CORRECTING_MAX));
const CORRECTING_MAX = 2;

const indexOf = (exchanges: readonly Exchange[]): Said => {
  const to = saidTo(exchanges);
  const index = createWordIndex();
  const wishes = createWordIndex();
  const sentences: Sentence[] = [];
  for (const [message, { said, written = said }] of exchanges.entries())
    for (const read of sentencesOf(written, to[message] ?? '')) {
      (read.isWish ? wishes : index).add(sentences.length, read.told);
      sentences.push({ ...read, message, place: sentences.length });
    }
  return { sentences, index, wishes, takingBackOf: createTakingBack(sentences, index) };
};

/** What was said is held against notes again at every compaction. */
const remembered = new Map<string, readonly Read[]>();
const sentencesOf = (written: string, to: string): readonly Read[] => {
  const key = JSON.stringify([written, to]);
  const before = remembered.get(key) ?? readOnce(written, to);
  if (remembered.size >= LIMITS.clausesRememberedMessages) remembered.clear();
  remembered.set(key, before);
  return before;
};
/** What was pasted is nobody's word; a question says nothing, unless it may be a wish, and neither does who only goes on. */
const readOnce = (written: string, to: string): readonly Read[] =>
  createReadMessages()(written, to)
    .sentences.filter(
      ({ said, isReply, isAsked, isPasted }) =>
        !isPasted && (isReply ? isAsked || !saysGoOn(said) : !isQuestion(said) || !isOpenQuestion(said)),
    )
    .map(({ text, said, isReply, isAsked }) => ({
      text,
      said,
      told: toldIn(text),
      isWish: !isReply && isQuestion(said),
      isProposed: isReply && !isAsked,
    }));
