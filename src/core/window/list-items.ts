/** The lists in an answer, from which one chooses: on lines of their own, or marked in one line. */
import { endOf } from '../cut-text.ts';
import { hasValue, isQuestion } from './distinctive.ts';
import { sentencesOf } from './sentences.ts';
import { firstWords } from './text.ts';

export type List = {
  /** As they are written; two at least. */
  items: readonly string[];
  /** What is chosen, as the words before the list say it, or else a question behind it: "Pick for the archive:". */
  lead: string;
};

/** Of more than one list the last, from which one chooses; none where the text holds no list. */
export const listItems = (text: string): readonly string[] => listsIn(text).at(-1)?.items ?? [];

/** In their order. */
export const listsIn = (text: string): List[] => {
  const parts = partsOf(text);
  return parts.flatMap((items, at) => {
    if (typeof items === 'string') return [];
    return [{ items, lead: leadOf(wordsAt(parts[at - 1]), wordsAt(parts[at + 1])) }];
  });
};

/** Words as they are, or the items of a list. */
type Part = string | readonly string[];
const wordsAt = (part: Part | undefined): string => (typeof part === 'string' ? part : '');

const ITEM = /^\s*(?:[-*+•]|\(?(?:\d{1,2}|\p{L})[.):、．])\s*\S/u;

/** The lines of a file are numbered too, and what is shown of them begins anywhere. */
const FILE_LINE = /^(?:[2-9]|\d\d): /;

const partsOf = (text: string): Part[] => {
  const parts: Part[] = [];
  let words: string[] = [];
  for (const { lines, items } of blocksOf(text)) {
    if (items.length > 1 && !FILE_LINE.test(items[0] ?? '')) {
      for (const part of partsInWords(words.join('\n'))) parts.push(part);
      parts.push(items);
      words = [];
    } else for (const line of lines) words.push(line);
  }
  return [...parts, ...partsInWords(words.join('\n'))];
};

type Block = { lines: string[]; items: string[] };
/** Lines behind an item that are indented belong to it; blank lines stand between items. */
const blocksOf = (text: string): Block[] => {
  const blocks: Block[] = [{ lines: [], items: [] }];
  for (const line of text.split('\n')) {
    const block = blocks.at(-1) as Block;
    const { items } = block;
    if (ITEM.test(line)) {
      // The words before an item are a block of their own.
      if (items.length === 0 && block.lines.length > 0) blocks.push({ lines: [line], items: [oneLine(line)] });
      else {
        items.push(oneLine(line));
        block.lines.push(line);
      }
      continue;
    }
    const isWithin = items.length > 0 && (line.trim() === '' || /^\s+\S/.test(line));
    if (isWithin && line.trim() !== '') items.push(`${items.pop()} ${oneLine(line)}`);
    if (isWithin || items.length === 0) block.lines.push(line);
    else blocks.push({ lines: [line], items: [] });
  }
  return blocks;
};

type Mark = { index: number; text: string };
/** A number, or a letter in front of a bracket: "1. this 2. that", "a) this b) that". */
const MARK = /(?<=^|[\s:;,：；，、。])\(?(\d{1,2}|[a-z])(?:[).](?=\s)|[）．、])/giu;

/** "1. this 2. that 3. the other": the marks follow each other. */
const partsInWords = (text: string): Part[] => {
  const runs = runsIn(text);
  const ends = new Set(runs.map((marks) => marks.at(-1)?.index));
  const starts = runs.flat().sort((one, other) => one.index - other.index);
  const parts: Part[] = [text.slice(0, starts[0]?.index)];
  for (const [at, { index }] of starts.entries()) {
    const next = starts[at + 1]?.index;
    const whole = text.slice(index, next);
    const item = ends.has(index) ? lastItemOf(whole, next !== undefined) : whole;
    const before = parts.at(-1);
    if (Array.isArray(before)) before.push(oneLine(item));
    else parts.push([oneLine(item)]);
    if (ends.has(index)) parts.push(whole.slice(item.length));
  }
  return parts;
};

/** Its line; where another list follows in that line, its sentence. */
const lastItemOf = (text: string, isFollowed: boolean): string => {
  const [line = ''] = text.split('\n');
  if (!isFollowed || line.length < text.length) return line;
  return /^\S+\s.*?[.!?;。！？；](?=\s|$)/u.exec(line)?.[0] ?? line;
};

/** Marks that follow each other from the first on; a list that begins anew is another one. */
const runsIn = (text: string): Mark[][] => {
  const runs: Mark[][] = [];
  for (const { index, 1: mark = '', 0: whole } of text.matchAll(MARK)) {
    if (/\p{L}/u.test(mark) && whole.endsWith('.')) continue;
    if (/^[1aA]$/.test(mark)) runs.push([]);
    const last = runs.at(-1);
    if (last && mark === markAfter(last.at(-1)?.text, mark)) last.push({ index, text: mark });
  }
  return runs.filter(({ length }) => length > 1);
};
const markAfter = (before: string | undefined, first: string): string => {
  if (before === undefined) return first;
  return /\d/.test(before) ? String(Number(before) + 1) : String.fromCharCode(before.charCodeAt(0) + 1);
};

/** The last words before the list; where these name nothing, a question behind it that does. */
const leadOf = (before: string, behind: string): string => {
  const [last = '', ahead = ''] = sentencesOf(endOf(before, LOOKED_CHARACTERS)).slice(-2).toReversed();
  const isShort = last.length < SHORT_CHARACTERS && ahead.length + last.length < LEAD_CHARACTERS;
  const lead = firstWords(isShort ? `${ahead} ${last}` : last, LEAD_CHARACTERS);
  if (hasValue(lead)) return lead;
  const asked = sentencesOf(behind.slice(0, LOOKED_CHARACTERS)).find(isQuestion) ?? '';
  return asked !== '' && (lead === '' || hasValue(asked)) ? firstWords(asked, LEAD_CHARACTERS) : lead;
};
const LOOKED_CHARACTERS = 400;
const LEAD_CHARACTERS = 120;
/** It says little by itself, so the sentence before it stays too. */
const SHORT_CHARACTERS = 50;

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
