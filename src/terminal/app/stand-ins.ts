/**
 * What is typed or pasted reaches the model as it is, and only what is shown is made safe. The editor shows what it holds,
 * so it holds a stand-in for each character that must not reach the terminal, and gives the original back. A stand-in is
 * as wide as what is shown in its place, `\u{1B}`, which is the form of the transcript, the questions and the page.
 */
import { escapeCharacter, UNSEEN_CLASS } from '../../core/invisible.ts';

/** A private character, shown as the backslash of what it begins. */
const MARK = '\u{10FFFD}';
const MARK_CLASS = '\\u{10FFFD}';
const REPLACED = new RegExp(`[[${UNSEEN_CLASS}${MARK_CLASS}]--[\\n\\u200C\\u200D\\uFE0E\\uFE0F]]`, 'gv');
/** A tab is shown as the spaces that it is in the transcript. */
const TAB = `${MARK}   `;
/** What a key of the editor left of one stands for nothing. */
const STAND_IN = new RegExp(`${MARK_CLASS}(?:u\\{([0-9A-F]{1,6})\\}|(r)|( {3}))?`, 'gu');
/** More marks on one letter than any script needs would paint over the lines round it. */
const MARKS = /(\p{M}{6})\p{M}+/gu;

/** Text for the editor. */
export const putStandIns = (text: string): string => text.toWellFormed().replaceAll(REPLACED, standIn);

const standIn = (character: string): string =>
  character === '\t' ? TAB : `${MARK}${escapeCharacter(character).slice(1)}`;

/** The editor opens a gap before what begins like a path; behind a stand-in it sees none. */
export const putAsPasted = (text: string): string => {
  const [first = ''] = text;
  return /^[/~.]/.test(text)
    ? `${MARK}u{${first.charCodeAt(0).toString(16).toUpperCase()}}${putStandIns(text.slice(1))}`
    : putStandIns(text);
};

/** The text that was typed. */
export const originalText = (text: string): string =>
  text.replaceAll(STAND_IN, (_, code?: string, isReturn?: string, isTab?: string) => {
    if (isReturn !== undefined) return '\r';
    if (isTab !== undefined) return '\t';
    return code === undefined ? '' : String.fromCodePoint(Number.parseInt(code, 16));
  });

/** "In colour" or "as text": how wide that makes a character is a matter of the terminal. */
const SELECTORS = /[\uFE0E\uFE0F]/g;

/** A line of the editor for the screen. */
export const shownStandIns = (line: string): string =>
  line.replaceAll(`${MARK}   `, '    ').replaceAll(MARK, '\\').replaceAll(MARKS, '$1').replaceAll(SELECTORS, '');

/** One key moves over a whole stand-in and takes a whole one away. */
export const withWholeStandIns = (text: string, segments: Iterable<Intl.SegmentData>): Iterable<Intl.SegmentData> => {
  if (!text.includes(MARK)) return segments;
  const ends = [...text.matchAll(STAND_IN)].map((match) => [match.index, match.index + match[0].length] as const);
  const whole: Intl.SegmentData[] = [];
  for (const segment of segments) {
    while (ends[0] !== undefined && ends[0][1] <= segment.index) ends.shift();
    const [start, end] = ends[0] ?? [Infinity, Infinity];
    if (segment.index > start) continue;
    whole.push(segment.index === start ? { ...segment, segment: text.slice(start, end) } : segment);
  }
  return whole;
};
