/**
 * How much of a long file one reading shows: the whole where the window has the room, else the lines that matter, and
 * the rest of them where the same file is read again for the same message.
 */
import type { Event } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Workspace } from '../../core/ports.ts';
import type { Curated, Curator } from '../../core/retrieval-port.ts';
import type { LinesShown } from '../../core/tool-result.ts';
import { unlessAborted } from '../../core/unless-aborted.ts';

export type FileRoom = {
  /** Stands for the conversation: each of its calls is given a room of its own. */
  of: object;
  events(): readonly Event[];
  resolve: Workspace['resolve'];
  /** Characters that the present prompt has room for; undefined where nobody knows the window. */
  freeCharacters(): number | undefined;
};

/** Of the free window: a file that takes less is always shown whole. */
const WHOLE_SHARE = 0.1;
/** A file of this size is worth most of the free window, since a part of it is mostly followed by the rest. */
const MODEST_SHARE = 0.95;
const WHOLE_CHARACTERS = 9_000;
/** Where nobody knows the window. */
const WHOLE_CHARACTERS_UNKNOWN = WHOLE_CHARACTERS;
/** A number and a colon before each line, and its end as it is written in JSON. */
const LINE_MARK = 8;

export const wholeCharacters = (free: number | undefined): number =>
  free === undefined
    ? WHOLE_CHARACTERS_UNKNOWN
    : Math.max(free * WHOLE_SHARE, Math.min(free * MODEST_SHARE, WHOLE_CHARACTERS));

export const withRoom = (curator: Curator, room: FileRoom): Curator => {
  const readings = readingsOf(room);
  const choose = (file: Parameters<Curator['curate']>[0], signal: AbortSignal): Curated | Promise<Curated> => {
    const lines = file.text.replace(/\n$/, '').split('\n');
    const free = room.freeCharacters();
    const shown = [...shownBefore(room, file.path, lines.length), ...readings.shown(file, lines.length)];
    const left = rangesLeft(shown, lines.length);
    if (left.length > 0) {
      const most = Math.max(wholeCharacters(free), (free ?? WHOLE_CHARACTERS_UNKNOWN) / 2);
      return { sections: fitting(left, lines, most), outline: [], by: 'deterministic', cached: false };
    }
    if (file.text.length + lines.length * LINE_MARK <= wholeCharacters(free)) {
      const whole = { line_start: 1, line_end: lines.length };
      return { sections: [whole], outline: [], by: 'deterministic', cached: false };
    }
    return curator.curate(file, signal);
  };
  return {
    async curate(file, signal) {
      // Calls of one round run at the same time: the second of a file goes on from what the first shows.
      await readings.begin(file.path, signal);
      try {
        return await choose(file, signal);
      } catch (error) {
        readings.end(file, undefined);
        throw error;
      }
    },
    shown: (file, lines) => readings.end(file, lines),
  };
};

type File = { path: string; hash: string };
type Reading = { ended: Promise<void>; end(): void };

/** What readings of one round showed whose results are not in the log yet; of one file one after the other. */
class ReadingsOfRound {
  readonly #room: FileRoom;
  readonly #under = new Map<string, Reading[]>();
  #round: number | undefined;
  #shown: (File & LinesShown)[] = [];

  constructor(room: FileRoom) {
    this.#room = room;
  }

  /** Resolves once the readings before it are done; rejects, and holds nobody up, where the signal aborts before. */
  async begin(path: string, signal: AbortSignal): Promise<void> {
    const queue = this.#under.get(path) ?? [];
    const before = queue.at(-1)?.ended;
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const own = { ended, end };
    this.#under.set(path, [...queue, own]);
    await unlessAborted(before, signal);
    if (!signal.aborted) return;
    this.#leave(path, own);
    // Who waits for this one waits for the one before it now.
    void Promise.resolve(before).then(end);
    signal.throwIfAborted();
  }

  #leave(path: string, own: Reading | undefined): void {
    const left = (this.#under.get(path) ?? []).filter((one) => one !== own);
    if (left.length === 0) this.#under.delete(path);
    else this.#under.set(path, left);
  }

  end(file: File, lines: LinesShown | undefined): void {
    this.#follow();
    if (lines) this.#shown.push({ ...file, ...lines });
    const first = this.#under.get(file.path)?.[0];
    this.#leave(file.path, first);
    first?.end();
  }

  shown({ path, hash }: File, total: number): Range[] {
    this.#follow();
    const own = this.#shown.filter((one) => one.path === path && one.hash === hash && one.total === total);
    return own.flatMap(({ ranges }) => ranges.map(([from, to]) => ({ from, to })));
  }

  /** Of earlier rounds the log tells. */
  #follow(): void {
    const round = this.#room.events().findLast(({ type }) => type === 'assistant_message_added')?.seq;
    if (round === this.#round) return;
    this.#round = round;
    this.#shown = [];
  }
}

const known = new WeakMap<object, ReadingsOfRound>();
const readingsOf = (room: FileRoom): ReadingsOfRound => {
  const readings = known.get(room.of) ?? new ReadingsOfRound(room);
  known.set(room.of, readings);
  return readings;
};

type Range = { from: number; to: number };

/** The lines of a file of so many that the model was shown since the last message of the person. */
const shownBefore = ({ events, resolve }: FileRoom, path: string, total: number): Range[] => {
  const pathOf = (named: unknown): string | undefined => {
    const place = typeof named === 'string' ? resolve(named) : undefined;
    return place?.ok ? place.value : undefined;
  };
  const wanted = pathOf(path) ?? path;
  const calls = new Map<string, unknown>();
  let shown: Range[] = [];
  // A session may be long, and every reading looks at this.
  const log = events();
  const since = log.findLastIndex(({ type }) => type === 'user_message_added');
  for (const event of log.slice(since + 1)) {
    if (event.type === 'context_compacted') shown = [];
    else if (event.type === 'assistant_message_added') {
      for (const { id, arguments: args } of event.message.tool_calls) if (!isRange(args)) calls.set(id, args['path']);
    } else if (event.type === 'change_recorded' && pathOf(event.path) === wanted) shown = [];
    else if (event.type === 'tool_finished' && pathOf(calls.get(event.tool_call_id)) === wanted) {
      const lines = event.result.metadata.lines_shown;
      if (lines?.total === total) shown.push(...lines.ranges.map(([from, to]) => ({ from, to })));
    }
  }
  return shown;
};

/** A range that was asked for says nothing of what the next reading is for. */
const isRange = ({ line_start, line_end, full }: JsonObject): boolean =>
  line_start !== undefined || line_end !== undefined || full === true;

/** Nothing where nothing was shown, or all of it. */
const rangesLeft = (shown: readonly Range[], total: number): Range[] => {
  if (shown.length === 0) return [];
  const left: Range[] = [];
  let next = 1;
  for (const { from, to } of shown.toSorted((one, other) => one.from - other.from)) {
    if (from > next) left.push({ from: next, to: from - 1 });
    next = Math.max(next, to + 1);
  }
  if (next <= total) left.push({ from: next, to: total });
  return left;
};

const fitting = (ranges: readonly Range[], lines: readonly string[], characters: number) => {
  const sections: { line_start: number; line_end: number }[] = [];
  let left = characters;
  for (const { from, to } of ranges) {
    let end = from - 1;
    while (end < to && left > 0) {
      left -= (lines[end]?.length ?? 0) + LINE_MARK;
      end += 1;
    }
    if (end >= from) sections.push({ line_start: from, line_end: end });
    if (left <= 0) break;
  }
  return sections;
};
