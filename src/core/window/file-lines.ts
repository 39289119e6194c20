/** The files of turns that are left out, with a line each: what was changed and how, what was read and how much of it. */
import type { ToolCall } from '../message.ts';
import { counted } from '../number-text.ts';
import type { LinesShown } from '../tool-result.ts';
import { fitting, ITEM_CHARACTERS } from './sections.ts';
import { firstWords } from './text.ts';
import type { Traced } from './traced-calls.ts';

const DETAILED_SHARE = 0.7;
/** Of one file, the latest. */
const EDITS_SHOWN = 3;
const EDIT_CHARACTERS = 50;

type FileForms = [path: string, forms: string[]];

/** Those that were changed first, then the latest; where there is no room for what was done, that it was, or the name. */
export const fileLines = (files: readonly FileForms[], characters: number): string[] => {
  const detailed: string[] = [];
  const named: string[] = [];
  let room = Math.floor(characters * DETAILED_SHARE);
  for (const [path, forms] of files) {
    const name = firstWords(path, ITEM_CHARACTERS);
    const line = forms.map((form) => `${name}: ${form}`).find(({ length }) => length + LINE_OVERHEAD <= room);
    if (line === undefined || named.length > 0)
      named.push(forms.at(-1)?.startsWith('changed') ? `${name} (changed)` : name);
    else {
      room -= line.length + LINE_OVERHEAD;
      detailed.push(line);
    }
  }
  if (named.length === 0) return detailed;
  const listed = fitting(named, characters * (1 - DETAILED_SHARE));
  const more = named.length - listed.length;
  if (listed.length === 0) return detailed.length === 0 ? [] : [...detailed, `${more} more before`];
  return [...detailed, `before: ${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`];
};
const LINE_OVERHEAD = 3;

/** What can be said of each, the longest first. */
export const filesIn = (calls: readonly Traced[]): FileForms[] => {
  const changed = new Map<string, string[]>();
  const read = new Map<string, Traced[]>();
  for (const traced of calls.toReversed()) {
    const { kind, what } = traced.trace;
    if (kind === 'changed') changed.set(what, [editOf(traced.call), ...(changed.get(what) ?? [])]);
    else if (kind === 'read') read.set(what, [...(read.get(what) ?? []), traced]);
  }
  return [
    ...[...changed].map(([path, edits]): FileForms => [path, changedForms(edits)]),
    ...[...read].flatMap(([path, readings]): FileForms[] => (changed.has(path) ? [] : [[path, [readForm(readings)]]])),
  ];
};

/** How many of its lines were shown, the same line once; `readings`: the latest first. */
const readForm = (readings: readonly Traced[]): string => {
  const known = readings.flatMap((reading) => shownBy(reading) ?? []);
  const total = known[0]?.total;
  if (total === undefined) {
    const lines = linesOf(readings[0]?.result.data);
    return lines === 0 ? 'read' : `read, ${counted(lines, 'line')} of it`;
  }
  // Of what was shorter or longer before, nobody knows which lines these are now.
  const shown = linesIn(known.filter((one) => one.total === total).flatMap(({ ranges }) => ranges));
  if (total === 0) return 'read';
  return shown < total ? `read, ${shown} of ${counted(total, 'line')}` : `read, ${counted(total, 'line')}`;
};

/** Undefined where nobody told how many lines the file has. */
const shownBy = ({ trace, result }: Traced): LinesShown | undefined => {
  const { lines_shown: told, truncated } = result.metadata;
  if (told !== undefined || trace.isPart || truncated !== undefined) return told;
  const total = linesOf(result.data);
  return { total, ranges: [[1, total]] };
};

const linesOf = (data: string | null | undefined): number => (data ? data.split('\n').length : 0);

const linesIn = (ranges: readonly [from: number, to: number][]): number => {
  let lines = 0;
  let last = 0;
  for (const [from, to] of ranges.toSorted(([one], [other]) => one - other)) {
    lines += Math.max(0, to - Math.max(last, from - 1));
    last = Math.max(last, to);
  }
  return lines;
};

/** `edits`: in their order, empty where a call says no more than that it changed the file. */
const changedForms = (edits: readonly string[]): string[] => {
  const times = edits.length === 1 ? 'changed' : `changed ${counted(edits.length, 'time')}`;
  const told = edits.filter((edit) => edit !== '');
  const forms = [EDITS_SHOWN, 1]
    .map((most) => told.slice(-most))
    .filter((shown) => shown.length > 0)
    .map((shown) => `${times}, ${shown.length < edits.length ? 'at last ' : ''}${shown.join('; ')}`);
  return [...forms, times];
};

const editOf = ({ arguments: args }: ToolCall): string => {
  const { old_text: before, new_text: after, new_content: content } = args;
  const now = typeof after === 'string' ? after : content;
  if (typeof before !== 'string' || typeof now !== 'string') return '';
  return `${JSON.stringify(firstWords(before, EDIT_CHARACTERS))} to ${JSON.stringify(firstWords(now, EDIT_CHARACTERS))}`;
};
