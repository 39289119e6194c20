/**
 * Scanners eat the text. Each is an automaton over single characters that keeps its state between pieces, which is why
 * it cannot matter where the pieces of a stream end. A routine (a generator) says which scanner comes next; it is asked
 * only when a scanner is done, so the long stretches of a text cost no more than their scanner's inner loop.
 */
import { type MarkerNode, type MarkerSet, OTHERS } from './markers.ts';

/** A state of an automaton: eats from `at`, at most to `end`, and returns how far it came. */
export type State = (text: string, at: number, end: number) => number;

export type Scanner = {
  /** Eats text from `at`, at most to `end`, and returns where it stopped. Before `end` it stops only when done. */
  feed(text: string, at: number, end: number): number;
  /** No more text comes; afterwards the scanner is done. */
  finish(): void;
  done: boolean;
};

export type Routine<T = void> = Generator<Scanner, T, undefined>;

/** White space, and what stands for it unseen: the no-break space, zero-width spaces and the byte order mark. */
export const isSpace = (code: number): boolean =>
  code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x200b || code === 0x2060 || code === 0xfeff;

/** Skips white space. `next` is the character after it, which is not eaten, or -1 at the end of the text. */
export class SpaceScanner implements Scanner {
  done = false;
  next = -1;
  #skipped = '';

  feed(text: string, at: number, end: number): number {
    const from = at;
    while (at < end && isSpace(text.charCodeAt(at))) at++;
    if (at > from) this.#skipped += text.slice(from, at);
    if (at < end) {
      this.next = text.charCodeAt(at);
      this.done = true;
    }
    return at;
  }

  finish(): void {
    this.done = true;
  }

  /** What was skipped. */
  get space(): string {
    return this.#skipped;
  }
}

/**
 * Reads one marker of a set, right here or not at all. Eats what might become one; where it does not, `surplus` is what
 * was eaten in vain and has to be put back.
 */
export class MatchScanner<T> implements Scanner {
  done = false;
  found: MarkerNode<T> | undefined;
  surplus = '';
  /** The text ended while a marker was being read. */
  partial = false;
  #at: MarkerNode<T>;

  constructor(set: MarkerSet<T>) {
    this.#at = set.root;
  }

  feed(text: string, at: number, end: number): number {
    while (at < end) {
      const next = this.#at.next.get(text.charCodeAt(at));
      if (next !== undefined) {
        at++;
        this.#at = next;
      }
      if (next === undefined || next.next.size === 0) {
        this.#settle();
        return at;
      }
    }
    return at;
  }

  finish(): void {
    if (this.done) return;
    this.#settle();
    this.partial = this.found === undefined && this.surplus !== '';
  }

  #settle(): void {
    this.done = true;
    this.found = this.#at.whole;
    this.surplus = this.#at.text.slice(this.found?.text.length ?? 0);
  }
}

/**
 * Passes text on up to the next marker, the longest that fits where one begins. `found` stays empty at the end of the
 * text, and where more than `limit` characters went by.
 */
export class MarkerScanner<T> implements Scanner {
  done = false;
  found: MarkerNode<T> | undefined;
  /** Eaten behind the marker while a longer one was still possible; to be put back. */
  surplus = '';
  /** The character before the marker, -1 where there is none. */
  before: number;
  readonly #root: MarkerNode<T>;
  readonly #starts: Uint8Array;
  readonly #out: (piece: string) => void;
  #left: number;
  #at: MarkerNode<T>;

  constructor(set: MarkerSet<T>, out: (piece: string) => void, before = -1, limit = Number.POSITIVE_INFINITY) {
    this.#root = set.root;
    this.#starts = set.starts;
    this.#at = this.#root;
    this.#out = out;
    this.before = before;
    this.#left = limit;
  }

  feed(text: string, at: number, end: number): number {
    const root = this.#root;
    const starts = this.#starts;
    const from = at;
    if (end - at > this.#left) end = at + this.#left;
    let here = this.#at;
    while (at < end) {
      if (here === root) {
        while (at < end) {
          const code = text.charCodeAt(at);
          if (code < OTHERS ? starts[code] === 1 : starts[OTHERS] === 1 && root.next.has(code)) break;
          at++;
        }
        if (at === end) break;
      }
      const next = here.next.get(text.charCodeAt(at));
      if (next !== undefined) {
        here = next;
        at++;
        if (next.next.size > 0 || next.meaning === undefined) continue;
        return this.#meet(next, '', text, from, at);
      }
      if (here.whole !== undefined) {
        return this.#meet(here.whole, here.text.slice(here.whole.text.length), text, from, at);
      }
      here = this.#giveUp(here, from - (at - here.text.length), root);
      if (here !== root && here.next.size === 0) return this.#meet(here, '', text, from, at);
    }
    this.#pass(text, from, at - here.text.length);
    this.#at = here;
    this.#left -= at - from;
    if (this.#left === 0) this.finish();
    return at;
  }

  /** The marker that began at `here` fails. What it ate before this piece is let go as far as no other can begin in it. */
  #giveUp(here: MarkerNode<T>, earlier: number, root: MarkerNode<T>): MarkerNode<T> {
    const next = here.fail ?? root;
    if (earlier > 0) {
      const free = Math.min(earlier, here.text.length - next.text.length);
      this.#pass(here.text, 0, free);
    }
    return next;
  }

  #meet(found: MarkerNode<T>, surplus: string, text: string, from: number, at: number): number {
    this.#pass(text, from, at - surplus.length - found.text.length);
    this.found = found;
    this.surplus = surplus;
    this.done = true;
    return at;
  }

  #pass(text: string, from: number, to: number): void {
    if (to <= from) return;
    this.before = text.charCodeAt(to - 1);
    this.#out(from === 0 && to === text.length ? text : text.slice(from, to));
  }

  finish(): void {
    if (this.done) return;
    this.done = true;
    let here = this.#at;
    while (here.whole === undefined && here.fail !== undefined) {
      this.#pass(here.text, 0, here.text.length - here.fail.text.length);
      here = here.fail;
    }
    this.found = here.whole;
    this.surplus = here.text.slice(here.whole?.text.length ?? here.text.length);
  }
}

/** Eats one character. */
export class OneCharacter implements Scanner {
  done = false;

  feed(_text: string, at: number, _end: number): number {
    this.done = true;
    return at + 1;
  }

  finish(): void {
    this.done = true;
  }
}
