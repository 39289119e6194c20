/** Of files that were read, the lines that stand out: as the files are now, and no word of ours among them. */
import type { Event } from '../events.ts';
import type { ToolCall } from '../message.ts';
import type { ToolResult } from '../tool-result.ts';
import { byDistinction, type Line, valueKeys, wordKeys } from './distinctive.ts';
import { speaksForUser } from './speaks-for-user.ts';
import { type Traced, undoneChanges } from './traced-calls.ts';
import { aboutScores } from './wanted.ts';

export type StandingLine = { seq: number; text: string };

const LINE_CHARACTERS_MIN = 12;
const LINE_CHARACTERS_MAX = 200;
const LINES_A_SOURCE = 2;
const LINES_MAX = 60;
const LINE_SCORE_MIN = 0.45;

/** A plan is made, and made again with the notes of the model in it: the log is the same. */
const found = new WeakMap<Event, { calls: number; lines: readonly StandingLine[] }>();
export const standingLines = (log: readonly Event[], calls: readonly Traced[]): readonly StandingLine[] => {
  const last = log.at(-1);
  const before = last && found.get(last);
  if (before?.calls === calls.length) return before.lines;
  const lines = standingOut(calls, changesIn(log, calls));
  if (last) found.set(last, { calls: calls.length, lines });
  return lines;
};

/** The best first; of one file not more than a few, and a line that stands in several files once. */
const standingOut = (calls: readonly Traced[], changes: Changes): StandingLine[] => {
  const lines = linesStanding(calls, changes, ({ trace }) => trace.kind === 'read');
  const bySource = new Map<string, number>();
  const texts = new Set<string>();
  const best: StandingLine[] = [];
  for (const { line } of byDistinction(lines, { cues: false, least: LINE_SCORE_MIN })) {
    if (best.length >= LINES_MAX) break;
    const own = bySource.get(line.source) ?? 0;
    if (own >= LINES_A_SOURCE || texts.has(line.text) || speaksForUser(line.text)) continue;
    texts.add(line.text);
    bySource.set(line.source, own + 1);
    best.push({ seq: line.seq, text: shownLine(line) });
  }
  return best;
};

/** The lines that calls showed, without those that a later change took away. */
const linesStanding = (calls: readonly Traced[], changes: Changes, isMeant: (call: Traced) => boolean): FileLine[] => {
  const lines: FileLine[] = [];
  const seenIn = new Map<string, Set<string>>();
  for (const call of calls) {
    const { seq, trace, result } = call;
    if (!isMeant(call)) continue;
    const later = (changes.get(pathOf(trace.what)) ?? []).filter((change) => change.seq > seq);
    const isGone = (text: string): boolean => later.some(({ takes }) => takes(text));
    const seen = seenIn.get(trace.what) ?? new Set<string>();
    seenIn.set(trace.what, seen);
    for (const line of linesIn(result, seq, trace.what)) {
      if (seen.has(line.text) || isGone(line.text)) continue;
      seen.add(line.text);
      lines.push(later.some(({ moves }) => moves) ? { ...line, shown: line.text } : line);
    }
  }
  return lines;
};

/** Of files and results, the lines about what the person wants kept, those that speak most of it first. */
export const linesAbout = (
  log: readonly Event[],
  calls: readonly Traced[],
  wanted: readonly string[],
): readonly StandingLine[] => {
  if (wanted.length === 0) return [];
  const lines = linesStanding(calls, changesIn(log, calls), ({ trace }) => trace.kind !== 'changed');
  // With the values as they stand: `add7` is named, and no line about `add0`.
  const keys = new Map(lines.map((line) => [line, valueKeys(line.text)]));
  const aboutOf = aboutScores(wanted, [...keys.values()]);
  const texts = new Set<string>();
  return lines
    .map((line) => ({ line, about: aboutOf(keys.get(line) ?? []) }))
    .filter(({ about }) => about > 0)
    .sort((one, other) => other.about - one.about || other.line.seq - one.line.seq)
    .filter(({ line: { text } }) => !texts.has(text) && !speaksForUser(text) && texts.add(text))
    .slice(0, LINES_ABOUT_MAX)
    .map(({ line }) => ({ seq: line.seq, text: shownLine(line) }));
};
const LINES_ABOUT_MAX = 20;
const shownLine = ({ source, shown }: FileLine): string => `${source}:${shown.replaceAll(/\s+/g, ' ').trim()}`;

/** `text`: as it stands in the file. `shown`: with its number, where its tool said that. */
type FileLine = Line & { seq: number; shown: string };

/** A result is looked at again at every compaction, and there are tens of thousands of lines in a long session. */
const known = new WeakMap<ToolResult, readonly FileLine[]>();
const linesIn = (result: ToolResult, seq: number, source: string): readonly FileLine[] => {
  const before = known.get(result);
  const [first] = before ?? [];
  if (before && (first === undefined || (first.seq === seq && first.source === source))) return before;
  const lines = fileLinesOf(result.data ?? '')
    .filter(({ text: { length } }) => length >= LINE_CHARACTERS_MIN && length <= LINE_CHARACTERS_MAX)
    .map(({ text, shown }) => ({ seq, source, text, shown, keys: wordKeys(text) }));
  known.set(result, lines);
  return lines;
};

/**
 * Where the lines of a file are numbered, what has no number is said about them: what was cut or left out. Elsewhere
 * whole sentences in brackets are.
 */
const fileLinesOf = (data: string): { text: string; shown: string }[] => {
  const all = linesOf(data);
  const isNumbered = NUMBER.test(all.find((line) => !NOTE.test(line)) ?? '');
  return all.flatMap((line) => {
    if (!isNumbered) return NOTE.test(line) ? [] : [{ text: line, shown: line }];
    const [mark] = NUMBER.exec(line) ?? [];
    if (mark === undefined) return [];
    const text = line.slice(mark.length);
    return [{ text, shown: `${Number.parseInt(mark, 10)}: ${text}` }];
  });
};
/** `12: ` of `read_file`, `12#ab3f: ` with a mark. */
const NUMBER = /^\d+(?:#[0-9a-z]{4})?: /;
const NOTE = /^\[[\p{L}\d…][^\]]* .*\]$/u;

/** `takes`: the line may be gone by it. `moves`: others may have another number. */
type Change = { seq: number; takes: (line: string) => boolean; moves: boolean };
type Changes = ReadonlyMap<string, readonly Change[]>;

/** What became of files: by calls of tools that change them, by commands, and by somebody else. */
const changesIn = (log: readonly Event[], calls: readonly Traced[]): Changes => {
  const changes = new Map<string, Change[]>();
  const add = (path: string, change: Change): void => {
    const name = pathOf(path);
    changes.set(name, [...(changes.get(name) ?? []), change]);
  };
  const byTools = calls.filter(({ trace }) => trace.kind === 'changed');
  for (const { seq, trace, diff, call } of byTools) add(trace.what, { seq, ...effectOf(diff, call) });
  const commands = new Set(calls.flatMap(({ trace, call }) => (trace.kind === 'ran' ? [call.id] : [])));
  const undone = undoneChanges(log);
  for (const event of log) {
    const { seq } = event;
    if (event.type === 'change_recorded' && commands.has(event.tool_call_id) && !undone.has(seq))
      add(event.path, { seq, ...UNKNOWN });
    else if (event.type === 'user_message_added')
      for (const { path } of event.files_changed ?? []) add(path, { seq, ...UNKNOWN });
  }
  return changes;
};

const pathOf = (path: string): string => path.replace(/^(?:\.\/)+/, '');

type Effect = Omit<Change, 'seq'>;
const UNKNOWN: Effect = { takes: () => true, moves: true };

/** By the difference that was shown, else by the text that was replaced; where neither is known, every line is gone. */
const effectOf = (diff: string | undefined, { arguments: args }: ToolCall): Effect => {
  if (diff?.includes('\n@@ ')) {
    const removed = linesOf(diff).flatMap((line) => (/^-(?!-- )/.test(line) ? [line.slice(1)] : []));
    const added = linesOf(diff).filter((line) => /^\+(?!\+\+ )/.test(line));
    return { takes: (line) => removed.includes(line), moves: removed.length !== added.length };
  }
  const { old_text: before, new_text: after } = args;
  if (typeof before !== 'string' || typeof after !== 'string') return UNKNOWN;
  const [old, now] = [linesOf(before), new Set(linesOf(after))];
  const replaced = old.filter((line) => line.trim() !== '' && !now.has(line));
  return {
    takes: (line) => replaced.some((part) => line.includes(part)),
    moves: old.length !== linesOf(after).length,
  };
};
const linesOf = (text: string): string[] => text.split(/\r?\n/);
