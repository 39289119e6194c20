/** The machine under the routines: feeds scanners, puts text back, watches for a marker that ends everything else. */
import { DIALECT_LIMITS } from '../../core/dialect-limits.ts';
import type { ParserEvent } from '../types.ts';
import type { MarkerNode, MarkerSet } from './markers.ts';
import { Output } from './output.ts';
import { MarkerScanner, MatchScanner, type Routine, type Scanner, SpaceScanner } from './scanner.ts';
import type { Offers } from './tools.ts';

type Segment = {
  readonly text: string;
  at: number;
  /** Where the watched marker ends, else the text's length. */
  end: number;
  /** Up to here the watcher has seen it. */
  watched: number;
  /** The watched marker ends at `end`. */
  stops: boolean;
};

/** A marker that counts wherever it stands, even inside what looks like a call. */
type Watch = {
  readonly scanner: MarkerScanner<unknown>;
  /** What happens then; `marker` is its text. */
  then(marker: string): Routine;
};

const ignore = (): void => {};

export class Core {
  readonly out = new Output();
  readonly offers: Offers;
  /** No more text comes. */
  ended = false;
  truncated = false;
  #routine: Routine | undefined;
  #scanner: Scanner = new SpaceScanner();
  readonly #input: Segment[] = [];
  #watching: Watch | undefined;
  /** What was looked through last, so that the same text need not be looked through again. */
  #watched: { set: unknown; scanner: MarkerScanner<unknown> } | undefined;
  #half = '';
  /** The character before the place where reading goes on, -1 at the beginning. */
  #before = -1;

  constructor(offers: Offers) {
    this.offers = offers;
  }

  start(routine: Routine): void {
    this.#routine = routine;
    this.#advance();
  }

  push(piece: string): ParserEvent[] {
    // A character of two code units stays whole, so that no event ever holds half of one.
    let text = this.#half === '' ? piece : this.#half + piece;
    const last = text.charCodeAt(text.length - 1);
    this.#half = last >= 0xd800 && last <= 0xdbff ? text.slice(-1) : '';
    if (this.#half !== '') text = text.slice(0, -1);
    this.#feed(text);
    return this.out.take();
  }

  #feed(text: string): void {
    if (text !== '') {
      if (this.#watching === undefined) this.#watched = undefined;
      this.#input.push({ text, at: 0, end: text.length, watched: 0, stops: false });
      this.#run();
    }
  }

  end(): ParserEvent[] {
    this.#feed(this.#half);
    this.ended = true;
    while (this.#routine !== undefined) {
      this.#run();
      if (this.#routine === undefined) break;
      this.#scanner.finish();
      this.#advance();
    }
    this.out.closeText();
    return this.out.take();
  }

  #run(): void {
    while (this.#routine !== undefined) {
      const segment = this.#input[this.#input.length - 1];
      if (segment === undefined) return;
      if (segment.at === segment.end) {
        if (segment.stops) this.#interrupt();
        else this.#input.pop();
        continue;
      }
      if (this.#watching !== undefined) this.#watchOver(segment, this.#watching.scanner);
      const from = segment.at;
      const to = this.#scanner.feed(segment.text, from, segment.end);
      if (to > from) {
        segment.at = to;
        this.#before = segment.text.charCodeAt(to - 1);
        if (this.out.recording)
          this.out.keep(to - from === segment.text.length ? segment.text : segment.text.slice(from, to));
      }
      if (this.#scanner.done) this.#advance();
    }
  }

  #advance(): void {
    const step = (this.#routine as Routine).next();
    if (step.done === true) this.#routine = undefined;
    else this.#scanner = step.value;
  }

  // Watching.

  /**
   * Looks for a marker in all that is read from here on. The text ahead is looked through once, however often watching
   * is taken up again.
   */
  watch<T>(set: MarkerSet<T>, then: (marker: string) => Routine): void {
    const base = this.#input[0];
    const known = this.#watched;
    if (known !== undefined && known.set === set && base !== undefined && base.watched > base.at) {
      this.#watching = { scanner: known.scanner, then };
      if (known.scanner.done) this.#stopAt(base, known.scanner);
      return;
    }
    const scanner: MarkerScanner<unknown> = new MarkerScanner(set, ignore);
    this.#watching = { scanner, then };
    this.#watched = { set, scanner };
    for (const segment of this.#input) segment.watched = segment.at;
  }

  unwatch(): void {
    this.#watching = undefined;
    for (const segment of this.#input) {
      segment.end = segment.text.length;
      segment.stops = false;
    }
  }

  #watchOver(segment: Segment, scanner: MarkerScanner<unknown>): void {
    if (scanner.done || segment.watched === segment.text.length) return;
    segment.watched = scanner.feed(segment.text, segment.watched, segment.text.length);
    if (scanner.done) this.#stopAt(segment, scanner);
  }

  #stopAt(segment: Segment, scanner: MarkerScanner<unknown>): void {
    segment.end = segment.watched - scanner.surplus.length;
    segment.stops = true;
  }

  #interrupt(): void {
    const watch = this.#watching as Watch;
    this.unwatch();
    this.start(watch.then(watch.scanner.found?.text ?? ''));
  }

  // What routines read with.

  /** The character before the place where reading goes on, for `putBack`. */
  get previous(): number {
    return this.#before;
  }

  /** What was just eaten is read again. */
  putBack(text: string, before = this.#before): void {
    if (text === '') return;
    if (this.out.recording) this.out.unkeep(text.length);
    this.#input.push({ text, at: 0, end: text.length, watched: text.length, stops: false });
    this.#before = before;
  }

  /** The text has ended in the middle of a marker that would mean nothing more. */
  dropRest(): void {
    this.#input.length = 0;
  }

  *space(): Routine<SpaceScanner> {
    const scanner = new SpaceScanner();
    yield scanner;
    return scanner;
  }

  *match<T>(set: MarkerSet<T>): Routine<MatchScanner<T>> {
    const scanner = new MatchScanner(set);
    const before = this.#before;
    yield scanner;
    const last = scanner.found?.text;
    this.putBack(scanner.surplus, last === undefined ? before : last.charCodeAt(last.length - 1));
    return scanner;
  }

  /** A short text up to a marker: a name, a tag. */
  *head<T>(set: MarkerSet<T>): Routine<{ head: string; found: MarkerNode<T> | undefined }> {
    let head = '';
    const { found } = yield* this.until(set, (piece) => (head += piece), DIALECT_LIMITS.headerCharacters);
    return { head, found };
  }

  *until<T>(set: MarkerSet<T>, out: (piece: string) => void, limit?: number): Routine<MarkerScanner<T>> {
    const before = this.#before;
    const scanner = new MarkerScanner(set, out, limit === undefined ? { before } : { before, limit });
    yield scanner;
    const last = scanner.found?.text;
    if (last !== undefined) this.putBack(scanner.surplus, last.charCodeAt(last.length - 1));
    return scanner;
  }
}
