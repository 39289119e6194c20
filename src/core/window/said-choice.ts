/** Which sentences of the person's messages stand in a room that has not enough for all of them. */
import { counted } from '../number-text.ts';
import { byDistinction } from './distinctive.ts';
import { isOwn, type Sentence } from './judged-sentences.ts';
import { worthOf } from './own-words.ts';
import { renewedIn } from './renewed.ts';
import { saysNo } from './short-answers.ts';

export type Said = {
  lines: string[];
  /** So many messages stand whole. */
  whole: number;
  /** Those of which some sentences stand. */
  shortened: string[];
  /** Those of which nothing stands, what says most that no other says first. */
  dropped: string[];
  /** Something that was said once, and like nothing else, had no room. */
  lacksFacts?: boolean;
  /** How these were chosen, where not all had room. */
  choice?: SaidChoice;
};

/** So many messages, the first ones, and the room that there was for them: enough to choose the same again. */
export type SaidChoice = { messages: number; characters: number; lacks_facts?: true };

/** One message of the person stands whole up to this length, wherever there is room. */
export const WHOLE_CHARACTERS = 6_000;
/** Where there is not, so much stays of a long one. */
export const SHORTENED_CHARACTERS = 1_000;
/** Each line begins with a dash and ends the line. */
const LINE_OVERHEAD = 3;
/** More of them, one after the other, are no correction of the first. */
const CORRECTIONS_MOST = 3;
/** A longer message is not kept whole for the sake of what corrects it; with what it was said to. */
const CORRECTED_CHARACTERS = 400;
const BETWEEN = ' … '.length;
/** Of one form. More of them are mostly a routine: "Shall I go on with part 7?", "Yes." */
const ALIKE_MOST = 3;

/** The further lines of a message stand below the first. */
export const FURTHER_LINE_INDENT = 2;

export const costOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + costOfOne(line), 0);
const costOfOne = (message: string): number => {
  let cost = message.length + LINE_OVERHEAD;
  for (let at = message.indexOf('\n'); at >= 0; at = message.indexOf('\n', at + 1)) cost += FURTHER_LINE_INDENT;
  return cost;
};

/** Sentences by message, in the order in which they were taken. */
export class Choice {
  readonly #messages: readonly string[];
  readonly #sentences: readonly Sentence[][];
  /** What matters most first. */
  readonly #ranked: readonly Sentence[][];
  readonly #corrects: readonly boolean[];
  readonly #taken = new Map<number, Set<Sentence>>();
  /** What was said in the same words before says nothing new. */
  readonly #texts = new Set<string>();
  readonly #used: number[];
  left: number;
  /** A message that does not stand whole takes no more. */
  messageCharacters = SHORTENED_CHARACTERS;

  /** `corrects`: a message takes back or corrects the one before it; also the first message that stays, behind the last of these. */
  constructor(
    messages: readonly string[],
    sentences: readonly Sentence[][],
    characters: number,
    corrects: readonly boolean[] = [],
  ) {
    this.#corrects = corrects;
    this.#messages = messages;
    this.#sentences = sentences;
    this.#ranked = sentences.map((own) => own.toSorted((one, other) => one.rank - other.rank));
    this.#used = messages.map(() => 0);
    this.left = characters;
  }

  /** The newest first; of one message what matters most first. False where one that is wanted has no room. */
  take(isWanted: (sentence: Sentence) => boolean, most = Number.POSITIVE_INFINITY): boolean {
    let isAll = true;
    let room = most;
    for (let message = this.#ranked.length - 1; message >= 0; message -= 1) {
      for (const sentence of this.#ranked[message] ?? []) {
        if (!isWanted(sentence)) continue;
        const cost = this.#add(sentence, room);
        if (cost === undefined) isAll = false;
        else room -= cost;
      }
      // Nothing older is kept in place of something newer.
      if (!isAll) return false;
    }
    return isAll;
  }

  /** Those that stand out most, whatever their age. */
  takeOutstanding(most: number, isWanted: (sentence: Sentence) => boolean = () => true): void {
    let room = most;
    const newestFirst = this.#sentences
      .flat()
      .filter(isWanted)
      .sort((one, other) => other.message - one.message);
    for (const { line, score } of byDistinction(newestFirst, { cues: true })) {
      if (score > 0 && line.isNew) room -= this.#add(line, room) ?? 0;
    }
  }

  /** What speaks most of what the person wants kept; of the same worth, the newest first. */
  takeAbout(most: number, isWanted: (sentence: Sentence) => boolean): void {
    let room = most;
    const about = this.#sentences.flat().filter((sentence) => sentence.about > 0 && isWanted(sentence));
    about.sort((one, other) => other.about - one.about || other.message - one.message);
    for (const sentence of about) room -= this.#add(sentence, room) ?? 0;
  }

  /** As many as have room: a no first, which forbids something; those of which many differ by a number alone last. */
  takeShortest(most: number, isWanted: (sentence: Sentence) => boolean): void {
    let room = most;
    const wanted = this.#sentences.flat().filter((sentence) => isWanted(sentence) && sentence.isNew);
    const times = timesOf(wanted.map(({ text }) => text));
    const orderOf = ({ said, text }: Sentence): number => {
      if (saysNo(said)) return 0;
      return (times.get(formOf(text)) ?? 0) > ALIKE_MOST ? 2 : 1;
    };
    wanted.sort((one, other) => orderOf(one) - orderOf(other) || one.text.length - other.text.length);
    for (const sentence of wanted) room -= this.#add(sentence, room) ?? 0;
  }

  /** Those that were said once alone, in another number too, the longest first. */
  takeLongest(most: number, isWanted: (sentence: Sentence) => boolean): void {
    let room = most;
    const times = timesOf(this.#messages);
    const once = this.#sentences
      .flat()
      .filter((sentence) => isWanted(sentence) && times.get(formOf(this.#messages[sentence.message] as string)) === 1);
    for (const sentence of once.sort((one, other) => worthOf(other.text) - worthOf(one.text)))
      room -= this.#add(sentence, room) ?? 0;
  }

  /** Makes the newest messages whole, as far as there is room; those that are not wanted are passed over. */
  makeWhole(most: number, isWanted: (sentences: readonly Sentence[]) => boolean = () => true): void {
    let room = Math.min(most, this.left);
    for (let message = this.#messages.length - 1; message >= 0; message -= 1) {
      if (!isWanted(this.#sentences[message] ?? [])) continue;
      const { length } = this.#messages[message] as string;
      const isLong = length > SHORTENED_CHARACTERS;
      const partners = this.#partnersOf(message);
      const cost = this.#costWhole(message) + this.#costOfAll(partners);
      if (cost > room && !isLong) return;
      if (cost > room || length > WHOLE_CHARACTERS) continue;
      room -= cost;
      for (const one of [message, ...partners]) this.#takeWhole(one);
    }
  }

  /** What is corrected by a message that stays in any case: without it, "not alder, birch" says nothing. */
  takeCorrectedNext(): void {
    const last = this.#messages.length - 1;
    if (!this.#corrects[last + 1] || !this.#isBrief(last)) return;
    const partners = this.#partnersOf(last);
    const together = this.#costWhole(last) + this.#costOfAll(partners);
    if (together <= this.left) for (const one of [last, ...partners]) this.#takeWhole(one);
  }

  /** Where something stands that was said anew, and what says it anew does not: that one in its place, where it has room there. */
  renew(): void {
    for (const { old, newer } of renewedIn(this.#sentences, (sentence) => this.#stands(sentence))) {
      const message = newer[0]?.message ?? 0;
      if (!this.#stands(old) || newer.every((sentence) => this.#stands(sentence))) continue;
      if (this.#goesWithOthers(message)) continue;
      const cost = this.#costWhole(message);
      if (cost > this.left) {
        if (this.#goesWithOthers(old.message) || cost > this.left + this.#freedBy(old)) continue;
        this.#remove(old);
      }
      this.#takeWhole(message);
    }
  }

  #stands(sentence: Sentence): boolean {
    return this.#taken.get(sentence.message)?.has(sentence) === true;
  }

  #goesWithOthers(message: number): boolean {
    return this.#corrects[message] === true || this.#corrects[message + 1] === true;
  }

  #remove(sentence: Sentence): void {
    const { message, text } = sentence;
    const freed = this.#freedBy(sentence);
    const taken = this.#taken.get(message);
    taken?.delete(sentence);
    if (taken?.size === 0) this.#taken.delete(message);
    this.#texts.delete(text);
    this.#used[message] = Math.max(0, (this.#used[message] ?? 0) - freed);
    this.left += freed;
  }

  /** A sign stands in its place where others of its message stay. */
  #freedBy({ message, text }: Sentence): number {
    const isLast = this.#taken.get(message)?.size === 1;
    return isLast ? (this.#used[message] ?? 0) : Math.max(0, text.length - BETWEEN);
  }

  /**
   * What does not stand yet and goes with a message, whole: what corrects it, however often, and what it corrects itself,
   * where that is short.
   */
  #partnersOf(message: number): number[] {
    if (this.#taken.has(message)) return [];
    let [from, to] = [message, message];
    while (to + 1 < this.#messages.length && this.#corrects[to + 1] && to - message < CORRECTIONS_MOST) to += 1;
    while (this.#corrects[from] && message - from < CORRECTIONS_MOST && this.#isBrief(from - 1)) from -= 1;
    const all = Array.from({ length: to - from + 1 }, (_, at) => from + at);
    return all.filter((one) => one !== message && !this.#taken.has(one));
  }

  #isBrief(message: number): boolean {
    return (this.#messages[message] ?? '').length <= CORRECTED_CHARACTERS;
  }

  #costWhole(message: number): number {
    return costOfOne(this.#messages[message] ?? '') - (this.#used[message] ?? 0);
  }

  #costOfAll(messages: readonly number[]): number {
    return messages.reduce((sum, message) => sum + this.#costWhole(message), 0);
  }

  #takeWhole(message: number): void {
    this.left -= this.#costWhole(message);
    this.#used[message] = costOfOne(this.#messages[message] ?? '');
    for (const { text } of this.#sentences[message] ?? []) this.#texts.add(text);
    this.#taken.set(message, new Set(this.#sentences[message]));
  }

  /** One of them had no room. */
  lacks(isWanted: (sentence: Sentence) => boolean): boolean {
    return this.#sentences.flat().some((sentence) => isWanted(sentence) && !this.#texts.has(sentence.text));
  }

  said(): Said {
    let whole = 0;
    const shortened: string[] = [];
    const dropped: { text: string; weight: number }[] = [];
    const lines = this.#messages.flatMap((text, message) => {
      const taken = this.#taken.get(message);
      if (taken === undefined) {
        dropped.push({ text, weight: weightOf(this.#sentences[message] ?? []) });
        return [];
      }
      const own = this.#sentences[message] ?? [];
      const isWhole = own.every((sentence) => taken.has(sentence));
      if (isWhole) whole += 1;
      else shortened.push(text);
      return [isWhole ? text : shownInPart(own, taken)];
    });
    const own = ownWords(dropped.length, shortened.length, lines.length === 0);
    dropped.sort((one, other) => other.weight - one.weight);
    return { lines: [...own, ...lines], whole, shortened, dropped: dropped.map(({ text }) => text) };
  }

  /** What it takes; 0 where it stands already or its message has enough; undefined where there is no room. */
  #add(sentence: Sentence, room: number): number | undefined {
    const { message, text, line, indent } = sentence;
    const used = this.#used[message] ?? 0;
    const further = line === 0 ? 0 : FURTHER_LINE_INDENT + indent.length;
    const cost = text.length + BETWEEN + further + (used === 0 ? LINE_OVERHEAD : 0);
    if (this.#texts.has(text) || used + cost > this.messageCharacters) return 0;
    const partners = this.#partnersOf(message);
    const together = cost + this.#costOfAll(partners);
    if (together > Math.min(this.left, room)) return undefined;
    for (const one of partners) this.#takeWhole(one);
    this.left -= cost;
    this.#used[message] = used + cost;
    this.#texts.add(text);
    this.#taken.set(message, (this.#taken.get(message) ?? new Set()).add(sentence));
    return together;
  }
}

/** The same for what differs by its numbers alone. */
const formOf = (text: string): string => text.replaceAll(/\p{N}+/gu, '0');
const timesOf = (texts: readonly string[]): ReadonlyMap<string, number> => {
  const times = new Map<string, number>();
  for (const form of texts.map(formOf)) times.set(form, (times.get(form) ?? 0) + 1);
  return times;
};

const weightOf = (sentences: readonly Sentence[]): number =>
  sentences.filter(isOwn).reduce((sum, { ownWords }) => sum + ownWords, 0);

/** The sign stands where something was left out. Lines stay lines. */
const shownInPart = (own: readonly Sentence[], taken: ReadonlySet<Sentence>): string => {
  let text = '';
  let isBehind = true;
  let last = own[0]?.line ?? 0;
  for (const sentence of own) {
    if (!taken.has(sentence)) {
      if (!text.endsWith('…')) text += text === '' ? '…' : ' …';
      isBehind = false;
      continue;
    }
    if (text === '' || sentence.line !== last) text += `${text === '' ? '' : '\n'}${sentence.indent}${sentence.text}`;
    else text += `${isBehind && UNSPACED.test(text) ? '' : ' '}${sentence.text}`;
    last = sentence.line;
    isBehind = true;
  }
  return text;
};
/** No blank follows the end of a sentence there. */
const UNSPACED = /[。！？｡]$/;

/** Words of ours among those of the person stand in brackets, and say what else is ours. */
const ownWords = (dropped: number, shortened: number, isAll: boolean): string[] => {
  if (isAll && dropped > 0) return [`[${counted(dropped, 'message')}, for which there is no room here]`];
  const left = [
    ...(dropped > 0 ? [`${counted(dropped, 'further message')} left out`] : []),
    ...(shortened > 0 ? ['"…" stands for sentences left out'] : []),
  ];
  return left.length === 0 ? [] : [`[${left.join('; ')}]`];
};
