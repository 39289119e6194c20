/** What the person said, sentence by sentence, with what each says that others do not. */
import { hasCue, isQuestion, UNSPACED, valueKeys } from './distinctive.ts';
import {
  createReadMessages,
  type Places,
  type ReadMessage,
  type ReadMessages,
  type ReadSentence,
} from './read-messages.ts';
import { aboutScores } from './wanted.ts';

export type Sentence = ReadSentence & {
  message: number;
  /** It says something that nothing newer says. */
  isNew: boolean;
  /** It says something that no other message says. */
  isOnly: boolean;
  /** So many words that no other message says; a filler with another number and a question for something have few. */
  ownWords: number;
  /** Much of what it says no other message says: it is none of many that differ by a name or a number. */
  isOwnKind: boolean;
  /** Without the model's words that stand with it, which answer no question of the model, it says nothing of its own. */
  isTold: boolean;
  /** How much it speaks of what the person wants kept; 0: not at all. */
  about: number;
  /** A call did it: what it says stands in the arguments of one that ran for it, and nothing is to be kept in mind. */
  isDone: boolean;
  /** It begins or ends a long message: there stands what the message is for. */
  isRequest: boolean;
  /** Its place among the sentences of its message, what matters most first. */
  rank: number;
};

/** Words that no other message has, of all: one of many that differ by a number has fewer. */
const OWN_KIND_SHARE = 0.3;

/** What is known of each message: the arguments of the calls that ran for it, and what it was said to. */
export type Around = {
  worked?: readonly string[];
  saidTo?: readonly string[];
  /** It takes back or corrects the message before, so neither stands without the other. */
  corrects?: readonly boolean[];
  /** What the messages say by themselves, found once for all choices of one log. */
  read?: ReadMessages;
};

/** Where each word is said, for those that few messages say. */
const saidIn = (all: readonly ReadMessage[]): ReadonlyMap<string, readonly number[]> => {
  const said = new Map<string, number[]>();
  for (const [message, { stated }] of all.entries())
    for (const key of stated) {
      const places = said.get(key);
      if (places === undefined) said.set(key, [message]);
      else if (places.length <= MENTIONS_MAX) places.push(message);
    }
  return said;
};
/** What more messages than this speak of is no more a word of the first of them alone. */
const MENTIONS_MAX = 8;

/**
 * The words of a sentence that are its own: it is the first that says them, and those that speak of them later do not say
 * the sentence again. "We call it Amber" is not said by "Rename the function in Amber".
 */
const ownWords = (
  message: number,
  keys: readonly string[],
  said: ReadonlyMap<string, readonly number[]>,
  all: readonly ReadMessage[],
): ReadonlySet<string> => {
  const known = new Map<number, boolean>();
  const saysAgain = (other: number): boolean => {
    const { stated } = all[other] as ReadMessage;
    const again = known.get(other) ?? keys.filter((one) => stated.has(one)).length > keys.length * COVERED_SHARE;
    known.set(other, again);
    return again;
  };
  const isOwn = (key: string): boolean => {
    const places = said.get(key) ?? [];
    // A pair of signs is part of many words, and no name.
    if (places.length > (UNSPACED.test(key) ? 1 : MENTIONS_MAX)) return false;
    const [first = message] = places;
    return first >= message && places.every((other) => other === message || !saysAgain(other));
  };
  return new Set(keys.filter(isOwn));
};

/** It stands with words of the model that asked nothing. */
const isProposed = ({ isReply, isAsked }: ReadSentence): boolean => isReply && !isAsked;
/** A yes to a question says what was asked; of what the model says by itself, nothing is the person's. */
const countedKeys = (sentence: ReadSentence): readonly string[] =>
  isProposed(sentence) ? valueKeys(sentence.said) : sentence.keys;

/** From the newest message to the oldest: what is said again later is not new. */
export const judgedSentences = (
  messages: readonly string[],
  wanted: readonly string[],
  { worked = [], saidTo = [], read = createReadMessages() }: Around = {},
): Sentence[][] => {
  const known = new Set<string>();
  const found: Sentence[][] = messages.map(() => []);
  const all = messages.map((message, at) => read(message, saidTo[at]));
  const said = saidIn(all);
  const aboutOf = aboutScores(
    wanted,
    wanted.length === 0 ? [] : all.flatMap(({ sentences }) => sentences.map(({ keys }) => keys)),
  );
  for (let message = messages.length - 1; message >= 0; message -= 1) {
    const own = all[message] as ReadMessage;
    const done = new Set(valueKeys(worked[message] ?? ''));
    const onlyOf = own.sentences.map((sentence) => ownWords(message, countedKeys(sentence), said, all));
    const places = own.places ?? shortPlaces(own.sentences, onlyOf);
    found[message] = own.sentences.map((sentence, index): Sentence => {
      const { keys, isReply, text } = sentence;
      const only: ReadonlySet<string> = onlyOf[index] ?? NONE;
      const isRepeated = (key: string): boolean =>
        isProposed(sentence) && !own.stated.has(key) && (said.get(key)?.[0] ?? message) < message;
      return {
        ...sentence,
        message,
        source: String(message),
        rank: places.ranks[index] ?? 0,
        isRequest: places.requests.has(index),
        isOnly: only.size > 0,
        ownWords: only.size,
        isOwnKind: only.size >= countedKeys(sentence).length * OWN_KIND_SHARE,
        isNew: keys.some((key) => !known.has(key) && !isRepeated(key)),
        isTold: isProposed(sentence) && only.size === 0,
        isDone: done.size > 0 && !isReply && !hasCue(text) && isCovered(keys, done, (key) => only.has(key)),
        // A question about it says nothing of it.
        about: isQuestion(sentence.said) ? 0 : aboutOf(keys),
      };
    });
    for (const key of own.stated) known.add(key);
  }
  return found;
};

/**
 * Whether a call has most of it, or all of it that no other message says. A fact that a call writes somewhere has words of
 * its own round it: "our port is 9090, put it into the settings".
 */
export const isCovered = (
  keys: readonly string[],
  done: ReadonlySet<string>,
  isSaidOnce: (key: string) => boolean = () => true,
): boolean => {
  const covered = keys.filter((key) => done.has(key)).length;
  if (covered > keys.length * COVERED_SHARE) return true;
  return covered > 0 && keys.every((key) => done.has(key) || !isSaidOnce(key));
};
const COVERED_SHARE = 0.6;

/** Of a greeting and a fact the fact says more that nothing else says. */
const shortPlaces = (own: readonly ReadSentence[], onlyOf: readonly ReadonlySet<string>[]): Places => {
  const says = own.map((_, index) => onlyOf[index]?.size ?? 0);
  const order = own.map((_, index) => index).sort((one, other) => (says[other] ?? 0) - (says[one] ?? 0));
  const ranks: number[] = [];
  for (const [rank, index] of order.entries()) ranks[index] = rank;
  return { ranks, requests: NONE };
};
const NONE: ReadonlySet<never> = new Set();

/**
 * What the person said in words of their own, that says something by itself, and that no call did: of what was done, the
 * files and the commands stand elsewhere. What only the model's words make into something comes behind it.
 */
export const isOwn = ({ isPasted, isLittle, isDone, isTold }: Sentence): boolean =>
  !isPasted && !isLittle && !isDone && !isTold;
