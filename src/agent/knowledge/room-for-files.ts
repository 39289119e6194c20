/**
 * How much of a long file one reading shows: the whole where the window has the room, else the lines that matter, and
 * the rest of them where the same file is read again for the same message.
 */
import type { Event } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Workspace } from '../../core/ports.ts';
import type { Curator } from '../../core/retrieval-port.ts';

export type FileRoom = {
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

export const withRoom = (curator: Curator, room: FileRoom): Curator => ({
  async curate(file, signal) {
    const lines = file.text.replace(/\n$/, '').split('\n');
    const free = room.freeCharacters();
    const left = rangesLeft(shownBefore(room, file.path, lines.length), lines.length);
    if (left.length > 0) {
      const most = Math.max(wholeCharacters(free), (free ?? WHOLE_CHARACTERS_UNKNOWN) / 2);
      return { sections: fitting(left, lines, most), outline: [], by: 'deterministic', cached: false };
    }
    if (file.text.length + lines.length * LINE_MARK <= wholeCharacters(free)) {
      const whole = { line_start: 1, line_end: lines.length };
      return { sections: [whole], outline: [], by: 'deterministic', cached: false };
    }
    return curator.curate(file, signal);
  },
});

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
