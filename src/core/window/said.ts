/**
 * What stays of the person's messages that are left out. Where all of them have room they stand word for word. Where they
 * do not, the sentences stay that say something which no newer message says, the newest first, and what room is left
 * makes the newest messages whole again. How a fact is worded does not matter: what counts is that it holds a word or a
 * value which is not said again later.
 */
import { counted } from '../number-text.ts';
import { byDistinction, hasCue, hasValue, type Line, valueKeys } from './distinctive.ts';

export type Said = {
  lines: string[];
  /** Messages that stand whole, and those of which some sentences stand. */
  whole: number;
  shortened: number;
};

/** One message of the person stands whole up to this length. */
export const MESSAGE_CHARACTERS = 1_000;
/** Of the room, where there is too little for every sentence that says something: for the newest messages, whole. */
const NEWEST_SHARE = 1 / 4;
/** The same for the sentences that stand out most, however old: what is like no other, what is to be kept in mind. */
const OUTSTANDING_SHARE = 0.3;
/** Each line begins with a dash and ends the line. */
const LINE_OVERHEAD = 3;
const BETWEEN = ' … '.length;

type Sentence = Line & {
  message: number;
  /** It says something that nothing newer says. */
  isNew: boolean;
  /** It says something that no other message says. */
  isOnly: boolean;
  isCue: boolean;
  /** It holds a value, a name or a path. */
  isValue: boolean;
  /** The person asked for what it speaks of. */
  isWanted: boolean;
};

/** In any script; what has no end is cut between words, or where there are none, between signs. */
const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=[.!?…]["')\]]?)\s+|(?<=[。！？｡؟।॥])|\n+/u)
    .flatMap((sentence) => (sentence.length <= SENTENCE_CHARACTERS ? [sentence] : (sentence.match(PIECES) ?? [])))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
const SENTENCE_CHARACTERS = 300;
const PIECES = /.{1,200}(?:\s|$)|.{1,200}/gsu;

/** Looked through once for all sizes; `messages` in their order, each on one line. */
export const createSaid = (messages: readonly string[], wanted: readonly string[]): ((characters: number) => Said) => {
  const total = messages.reduce((sum, text) => sum + text.length + LINE_OVERHEAD, 0);
  const isShort = messages.every(({ length }) => length <= MESSAGE_CHARACTERS);
  let sentences: readonly Sentence[][] | undefined;
  return (characters) => {
    if (total <= characters && isShort) return { lines: [...messages], whole: messages.length, shortened: 0 };
    sentences ??= judged(messages, wanted);
    return chosen(messages, sentences, characters);
  };
};

/** From the newest message to the oldest: what is said again later is not new. */
const judged = (messages: readonly string[], wanted: readonly string[]): Sentence[][] => {
  const known = new Set<string>();
  const asked = new Set(wanted.flatMap((text) => valueKeys(text)));
  const found: Sentence[][] = messages.map(() => []);
  const all = messages.map((message) => sentencesOf(message).map((text) => ({ text, keys: valueKeys(text) })));
  const counts = new Map<string, number>();
  for (const own of all) {
    for (const key of new Set(own.flatMap(({ keys }) => keys))) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (let message = messages.length - 1; message >= 0; message -= 1) {
    const own = all[message] ?? [];
    found[message] = own.map(({ text, keys }) => ({
      text,
      message,
      keys,
      source: String(message),
      isOnly: keys.some((key) => counts.get(key) === 1),
      isNew: keys.some((key) => !known.has(key)),
      isCue: hasCue(text),
      isValue: hasValue(text),
      isWanted: keys.some((key) => asked.has(key) && key.length > 2),
    }));
    for (const { keys } of own) for (const key of keys) known.add(key);
  }
  return found;
};

/** Sentences by message, in the order in which they were taken. */
class Choice {
  readonly #messages: readonly string[];
  readonly #sentences: readonly Sentence[][];
  readonly #taken = new Map<number, Set<Sentence>>();
  /** What was said in the same words before says nothing new. */
  readonly #texts = new Set<string>();
  readonly #used: number[];
  left: number;

  constructor(messages: readonly string[], sentences: readonly Sentence[][], characters: number) {
    this.#messages = messages;
    this.#sentences = sentences;
    this.#used = messages.map(() => 0);
    this.left = characters;
  }

  /** The newest first; of one message the first first. False where one that is wanted has no room. */
  take(isWanted: (sentence: Sentence) => boolean): boolean {
    let isAll = true;
    for (let message = this.#sentences.length - 1; message >= 0; message -= 1) {
      for (const sentence of this.#sentences[message] ?? []) {
        if (!isWanted(sentence)) continue;
        if (this.#add(sentence, this.left) === undefined) isAll = false;
      }
      // Nothing older is kept in place of something newer.
      if (!isAll) return false;
    }
    return isAll;
  }

  /** Those that stand out most, whatever their age. */
  takeOutstanding(most: number): void {
    let room = most;
    const newestFirst = this.#sentences.flat().sort((one, other) => other.message - one.message);
    for (const { line, score } of byDistinction(newestFirst, { cues: true })) {
      if (score > 0 && line.isNew) room -= this.#add(line, room) ?? 0;
    }
  }

  /** Makes the newest messages whole, as far as there is room. */
  makeWhole(most: number): void {
    let room = Math.min(most, this.left);
    for (let message = this.#messages.length - 1; message >= 0; message -= 1) {
      const { length } = this.#messages[message] as string;
      if (length > MESSAGE_CHARACTERS) continue;
      const cost = length + LINE_OVERHEAD - (this.#used[message] ?? 0);
      if (cost > room) return;
      room -= cost;
      this.left -= cost;
      this.#used[message] = length + LINE_OVERHEAD;
      for (const sentence of this.#sentences[message] ?? []) this.#texts.add(sentence.text);
      this.#taken.set(message, new Set(this.#sentences[message]));
    }
  }

  said(): Said {
    let whole = 0;
    const lines = this.#messages.flatMap((text, message) => {
      const taken = this.#taken.get(message);
      if (taken === undefined) return [];
      const own = this.#sentences[message] ?? [];
      const isWhole = own.every((sentence) => taken.has(sentence));
      if (isWhole) whole += 1;
      const kept = own.filter((sentence) => taken.has(sentence)).map((sentence) => sentence.text);
      return [isWhole ? text : `${kept.join(' … ')} …`];
    });
    const dropped = this.#messages.length - lines.length;
    return {
      lines: dropped > 0 ? [droppedText(dropped, lines.length === 0), ...lines] : lines,
      whole,
      shortened: lines.length - whole,
    };
  }

  /** What it takes; 0 where it stands already or its message has enough; undefined where there is no room. */
  #add(sentence: Sentence, room: number): number | undefined {
    const { message, text } = sentence;
    const used = this.#used[message] ?? 0;
    const cost = text.length + BETWEEN + (used === 0 ? LINE_OVERHEAD : 0);
    if (this.#texts.has(text) || used + cost > MESSAGE_CHARACTERS) return 0;
    if (cost > Math.min(this.left, room)) return undefined;
    this.left -= cost;
    this.#used[message] = used + cost;
    this.#texts.add(text);
    this.#taken.set(message, (this.#taken.get(message) ?? new Set()).add(sentence));
    return cost;
  }
}

const chosen = (messages: readonly string[], sentences: readonly Sentence[][], characters: number): Said => {
  const room = Math.max(0, characters - DROPPED_CHARACTERS);
  const all = new Choice(messages, sentences, room);
  all.take(({ isWanted }) => isWanted);
  if (all.take(({ isNew }) => isNew)) {
    all.take(({ isCue, isValue }) => isCue || isValue);
    all.makeWhole(all.left);
    // Of what is too long to stand whole, more than the sentences that say something.
    all.take(() => true);
    return all.said();
  }
  // Not all of it has room: the newest whole, what is to be kept in mind, and then the newest of the rest.
  const some = new Choice(messages, sentences, room);
  some.take(({ isWanted }) => isWanted);
  some.makeWhole(Math.floor(room * NEWEST_SHARE));
  some.takeOutstanding(room * OUTSTANDING_SHARE);
  some.take(({ isOnly }) => isOnly);
  some.take(({ isNew }) => isNew);
  some.take(() => true);
  return some.said();
};

const DROPPED_CHARACTERS = 60;
const droppedText = (dropped: number, isAll: boolean): string =>
  isAll
    ? `(${counted(dropped, 'message')}, for which there is no room here)`
    : `(${counted(dropped, 'further message')})`;
