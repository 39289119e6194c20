/** The machine under the routines: feeds scanners, puts text back, watches for a marker that ends everything else. */
import { DIALECT_LIMITS } from '../../core/limits/dialect-limits.ts';
import type { ParserEvent } from '../types.ts';
import type { MarkerNode, MarkerSet } from './markers.ts';
import { newOutput, type Output } from './output.ts';
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

export type Core = {
  readonly out: Output;
  readonly offers: Offers;
  /** No more text comes. */
  ended: boolean;
  /** A limit ended the text. */
  isCut: boolean;
  truncated: boolean;
  /** The character before the place where reading goes on, for `putBack`; -1 at the beginning. */
  previous: number;
  start(routine: Routine): void;
  push(piece: string): ParserEvent[];
  end(isCut: boolean): ParserEvent[];
  /**
   * Looks for a marker in all that is read from here on. The text ahead is looked through once, however often watching
   * is taken up again.
   */
  watch(set: MarkerSet<unknown>, then: (marker: string) => Routine): void;
  unwatch(): void;

  // What routines read with.

  /** What was just eaten is read again. */
  putBack(text: string, before?: number): void;
  /** The text has ended in the middle of a marker that would mean nothing more. */
  dropRest(): void;
  space(): Routine<SpaceScanner>;
  match<T>(set: MarkerSet<T>): Routine<MatchScanner<T>>;
  /** A short text up to a marker: a name, a tag. */
  head<T>(set: MarkerSet<T>): Routine<{ head: string; found: MarkerNode<T> | undefined }>;
  until<T>(set: MarkerSet<T>, out: (piece: string) => void, limit?: number): Routine<MarkerScanner<T>>;
};

export const newCore = (offers: Offers): Core => {
  const out = newOutput();
  const input: Segment[] = [];
  let routine: Routine | undefined;
  let scanner: Scanner;
  let watching: Watch | undefined;
  /** What was looked through last, so that the same text need not be looked through again. */
  let watched: { set: unknown; scanner: MarkerScanner<unknown> } | undefined;
  let half = '';

  const advance = (): void => {
    const step = (routine as Routine).next();
    if (step.done === true) routine = undefined;
    else scanner = step.value;
  };

  const feed = (text: string): void => {
    if (text === '') return;
    if (watching === undefined) watched = undefined;
    input.push({ text, at: 0, end: text.length, watched: 0, stops: false });
    run();
  };

  const run = (): void => {
    while (routine !== undefined) {
      const segment = input[input.length - 1];
      if (segment === undefined) return;
      if (segment.at === segment.end) {
        if (segment.stops) interrupt();
        else input.pop();
        continue;
      }
      if (watching !== undefined) watchOver(segment, watching.scanner);
      const { text, at } = segment;
      const to = scanner.feed(text, at, segment.end);
      if (to > at) {
        segment.at = to;
        core.previous = text.charCodeAt(to - 1);
        if (out.recording) out.keep(to - at === text.length ? text : text.slice(at, to));
      }
      if (scanner.done) advance();
    }
  };

  const watchOver = (segment: Segment, by: MarkerScanner<unknown>): void => {
    if (by.done || segment.watched === segment.text.length) return;
    segment.watched = by.feed(segment.text, segment.watched, segment.text.length);
    if (by.done) stopAt(segment, by);
  };

  const stopAt = (segment: Segment, by: MarkerScanner<unknown>): void => {
    segment.end = segment.watched - by.surplus.length;
    segment.stops = true;
  };

  const interrupt = (): void => {
    const watch = watching as Watch;
    core.unwatch();
    core.start(watch.then(watch.scanner.found?.text ?? ''));
  };

  const core: Core = {
    out,
    offers,
    ended: false,
    isCut: false,
    truncated: false,
    previous: -1,
    start: (first) => {
      routine = first;
      advance();
    },
    push: (piece) => {
      // A character of two code units stays whole, so that no event ever holds half of one.
      const text = half === '' ? piece : half + piece;
      const last = text.charCodeAt(text.length - 1);
      half = last >= 0xd800 && last <= 0xdbff ? text.slice(-1) : '';
      feed(half === '' ? text : text.slice(0, -1));
      return out.take();
    },
    end: (isCut) => {
      feed(half);
      core.ended = true;
      core.isCut = isCut;
      while (routine !== undefined) {
        run();
        if (routine === undefined) break;
        scanner.finish();
        advance();
      }
      out.closeText();
      return out.take();
    },

    watch: (set, then) => {
      const base = input[0];
      if (watched?.set === set && base !== undefined && base.watched > base.at) {
        watching = { scanner: watched.scanner, then };
        if (watched.scanner.done) stopAt(base, watched.scanner);
        return;
      }
      const fresh = new MarkerScanner(set, ignore);
      watching = { scanner: fresh, then };
      watched = { set, scanner: fresh };
      for (const segment of input) segment.watched = segment.at;
    },
    unwatch: () => {
      watching = undefined;
      for (const segment of input) {
        segment.end = segment.text.length;
        segment.stops = false;
      }
    },

    putBack: (text, before = core.previous) => {
      if (text === '') return;
      if (out.recording) out.unkeep(text.length);
      input.push({ text, at: 0, end: text.length, watched: text.length, stops: false });
      core.previous = before;
    },
    dropRest: () => {
      input.length = 0;
    },
    *space() {
      const skipped = new SpaceScanner();
      yield skipped;
      return skipped;
    },
    *match(set) {
      const matched = new MatchScanner(set);
      const before = core.previous;
      yield matched;
      core.putBack(matched.surplus, lastOf(matched.found?.text) ?? before);
      return matched;
    },
    *head(set) {
      let head = '';
      const { found } = yield* core.until(set, (piece) => (head += piece), DIALECT_LIMITS.headerCharacters);
      return { head, found };
    },
    *until(set, write, limit) {
      const search = new MarkerScanner(set, write, core.previous, limit);
      yield search;
      core.putBack(search.surplus, lastOf(search.found?.text));
      return search;
    },
  };
  return core;
};

const lastOf = (text: string | undefined): number | undefined => text?.charCodeAt(text.length - 1);
