/**
 * What stays of the person's messages that are left out. Where all of them have room they stand word for word. Where they
 * do not, the sentences stay that say something which no newer message says, the newest first, and what room is left
 * makes the newest messages whole again. How a fact is worded does not matter: what counts is that it holds a word or a
 * value which is not said again later.
 */
import { counted } from '../number-text.ts';
import { byDistinction } from './distinctive.ts';
import { judgedSentences, type Sentence } from './sentences.ts';

export type Said = {
  lines: string[];
  /** Messages that stand whole, and those of which some sentences stand. */
  whole: number;
  shortened: number;
  /** How these were chosen, where not all had room. */
  choice?: SaidChoice;
};

/** So many messages, the first ones, and the room that there was for them: enough to choose the same again. */
export type SaidChoice = { messages: number; characters: number };

/** One message of the person stands whole up to this length. */
export const MESSAGE_CHARACTERS = 1_000;
/** Of the room, where there is too little for every sentence that says something: for the newest messages, whole. */
const NEWEST_SHARE = 1 / 4;
/** The same for the sentences that stand out most, however old: what is like no other, what is to be kept in mind. */
const OUTSTANDING_SHARE = 0.3;
/** Each line begins with a dash and ends the line. */
const LINE_OVERHEAD = 3;
const BETWEEN = ' … '.length;

/**
 * Looked through once for all sizes; `messages` in their order, each on one line. Where the choice of the compaction
 * before is given, what it left stands as it was and the messages since then behind it, as long as there is room: a
 * server has read that already.
 */
export const createSaid = (
  messages: readonly string[],
  wanted: readonly string[],
): ((characters: number, before?: SaidChoice) => Said) => {
  const isShort = messages.every(({ length }) => length <= MESSAGE_CHARACTERS);
  const total = costOf(messages);
  let sentences: readonly Sentence[][] | undefined;
  let stood: { choice: SaidChoice; said: Said } | undefined;
  const standing = (choice: SaidChoice): Said => {
    if (stood?.choice.messages !== choice.messages || stood.choice.characters !== choice.characters)
      stood = { choice, said: continued(messages, wanted, choice) };
    return stood.said;
  };
  return (characters, before) => {
    if (total <= characters && isShort) return { lines: [...messages], whole: messages.length, shortened: 0 };
    if (before && before.messages <= messages.length && characters <= before.characters * MUCH_LARGER) {
      const said = standing(before);
      if (costOf(said.lines) <= characters) return said;
    }
    sentences ??= judgedSentences(messages, wanted);
    return { ...chosen(messages, sentences, characters), choice: { messages: messages.length, characters } };
  };
};
/** With so much more room than there was, more of the old messages is worth reading them again. */
const MUCH_LARGER = 1.5;

const costOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + LINE_OVERHEAD, 0);

/** The same choice as before, and behind it what was said since. */
const continued = (messages: readonly string[], wanted: readonly string[], choice: SaidChoice): Said => {
  const older = messages.slice(0, choice.messages);
  const base = chosen(older, judgedSentences(older, wanted), choice.characters);
  const newer = messages.slice(choice.messages).map((text) => shortenedAlone(text, wanted));
  const shortened = newer.filter(({ isWhole }) => !isWhole).length;
  return {
    lines: [...base.lines, ...newer.map(({ line }) => line)],
    whole: base.whole + newer.length - shortened,
    shortened: base.shortened + shortened,
    choice,
  };
};

/** Told by its own sentences where it is too long to stand whole. */
const shortenedAlone = (text: string, wanted: readonly string[]): { line: string; isWhole: boolean } => {
  if (text.length <= MESSAGE_CHARACTERS) return { line: text, isWhole: true };
  const { lines, shortened } = chosen([text], judgedSentences([text], wanted), MESSAGE_CHARACTERS + DROPPED_CHARACTERS);
  return { line: lines.at(-1) ?? '', isWhole: shortened === 0 };
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
    const shortened = lines.length - whole;
    return { lines: [...ownWords(dropped, shortened, lines.length === 0), ...lines], whole, shortened };
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
  const forNext = roomForNext(characters);
  const all = new Choice(messages, sentences, room);
  all.take(({ isWanted }) => isWanted);
  if (all.take(({ isNew }) => isNew)) {
    all.left -= forNext;
    all.take(({ isCue, isValue }) => isCue || isValue);
    all.makeWhole(all.left);
    // Of what is too long to stand whole, more than the sentences that say something.
    all.take(() => true);
    return all.said();
  }
  // Not all of it has room: the newest whole, what is to be kept in mind, and then the newest of the rest.
  const less = room - forNext;
  const some = new Choice(messages, sentences, less);
  some.take(({ isWanted }) => isWanted);
  some.makeWhole(Math.floor(less * NEWEST_SHARE));
  some.takeOutstanding(less * OUTSTANDING_SHARE);
  some.take(({ isOnly }) => isOnly);
  some.take(({ isNew }) => isNew);
  some.take(() => true);
  return some.said();
};

/**
 * Left free for the messages to come, so that making room the next time adds to what stands in place of changing it. Where
 * little stands, little is read again, and every message counts.
 */
const roomForNext = (characters: number): number =>
  characters < FOR_NEXT_FROM_CHARACTERS ? 0 : Math.floor(characters * FOR_NEXT_SHARE);
const FOR_NEXT_FROM_CHARACTERS = 8_000;
const FOR_NEXT_SHARE = 1 / 8;

const DROPPED_CHARACTERS = 80;
/** Words of ours among those of the person stand in brackets, and say what else is ours. */
const ownWords = (dropped: number, shortened: number, isAll: boolean): string[] => {
  if (isAll && dropped > 0) return [`[${counted(dropped, 'message')}, for which there is no room here]`];
  const left = [
    ...(dropped > 0 ? [`${counted(dropped, 'further message')} left out`] : []),
    ...(shortened > 0 ? ['"…" stands for sentences left out'] : []),
  ];
  return left.length === 0 ? [] : [`[${left.join('; ')}]`];
};
