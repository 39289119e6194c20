/** What a line of text begins with: a heading, an item of a list, a quotation. Its text is wrapped beside or below that. */
import { indentRoom, type Span, type WrappedLine, widthOf, wrapSpans } from '../text.ts';
import type { Paint, Theme } from '../theme.ts';
import { inlineSpans } from './inline.ts';

const HEADING = /^ {0,3}(#{1,6})\s+(.*)$/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])\s+(\[[ xX]\]\s+)?(.*)$/;
const QUOTE = /^ {0,3}((?:>\s?)+)(.*)$/;
const RULE = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;
const RULE_WIDTH = 24;
const ITEM_INDENT = 12;

/** What stands before the first row of a text and before those below it, equally wide, and what its first words are. */
type Indents = { first: string; rest: string; lead?: Span };

export type LineShape = {
  /** Where in the line its text begins. */
  at: number;
  paint?: Paint | undefined;
  /** The text may end in signs that are no part of it. */
  isHeading?: boolean;
  /** It is a rule and has no text. */
  isRule?: boolean;
  indents(width: number): Indents;
};

const NO_INDENTS: Indents = { first: '', rest: '' };

/** `hang`: the columns that the lines of an open list item stand in. */
export const shapeOf = (line: string, hang: number, theme: Theme): LineShape => {
  const heading = HEADING.exec(line);
  if (heading)
    return {
      at: line.length - heading[2]!.length,
      paint: theme.bold,
      isHeading: true,
      indents: () => NO_INDENTS,
    };
  if (RULE.test(line)) return { at: 0, isRule: true, indents: () => NO_INDENTS };
  const item = ITEM.exec(line);
  if (item) return itemShape(line, item, theme);
  const quote = QUOTE.exec(line);
  if (quote) {
    const bar = `${theme.dim(theme.marks.bar)} `;
    const depth = quote[1]!.replaceAll(/\s/g, '').length;
    return {
      at: line.length - quote[2]!.length,
      paint: theme.dim,
      indents(width) {
        const prefix = bar.repeat(Math.min(depth, Math.floor(indentRoom(width) / widthOf(bar))));
        return { first: prefix, rest: prefix };
      },
    };
  }
  return {
    at: line.length - line.trimStart().length,
    indents(width) {
      const indent = /^\s/.test(line) ? ' '.repeat(Math.min(hang, indentRoom(width))) : '';
      return { first: indent, rest: indent };
    },
  };
};

const itemShape = (line: string, item: RegExpExecArray, theme: Theme): LineShape => {
  const [, indent, marker, box, text] = item;
  const { marks } = theme;
  const sign = /\d/.test(marker!) ? marker! : marks.bullet;
  const checked = box === undefined ? '' : /[xX]/.test(box) ? `${marks.done} ` : `${marks.waiting} `;
  const lead = `${sign} ${checked}`;
  return {
    at: line.length - text!.length,
    indents(width) {
      const left = indentRoom(width) - widthOf(lead);
      // The window is too narrow for a text beside its sign: the sign is its first word.
      if (left < 0) return { ...NO_INDENTS, lead: { text: lead, at: indent!.length } };
      const indentation = ' '.repeat(Math.min(indent!.length, ITEM_INDENT, left));
      return { first: indentation + lead, rest: indentation + ' '.repeat(widthOf(lead)) };
    },
  };
};

/** The columns that the lines below this one stand in, when they are indented. */
export const hangOf = (line: string, hang: number): number => {
  const item = ITEM.exec(line);
  if (item) return Math.min(item[1]!.length, ITEM_INDENT) + (/\d/.test(item[2]!) ? item[2]!.length : 1) + 1;
  return /^\s/.test(line) ? hang : 0;
};

/** A line of this shape, or what is left of it when its first rows have been given out. */
export const shapedLines = (
  line: string,
  shape: LineShape,
  isContinued: boolean,
  width: number,
  theme: Theme,
): WrappedLine[] => {
  if (shape.isRule) return [{ text: theme.dim(theme.marks.rule.repeat(Math.min(width, RULE_WIDTH))), width: 0, at: 0 }];
  const { first, rest, lead } = shape.indents(width);
  const at = isContinued ? 0 : shape.at;
  const text = shape.isHeading ? headingText(line.slice(at)) : line.slice(at);
  const spans = inlineSpans(text, theme, shape.paint, at);
  const isLed = lead !== undefined && !isContinued;
  return wrapSpans(isLed ? [lead, ...spans] : spans, width - widthOf(rest)).map((each, index) => ({
    ...each,
    text: (index === 0 && !isContinued ? first : rest) + each.text,
  }));
};

/** Without the signs that may close a heading. */
const headingText = (text: string): string => {
  const whole = text.trimEnd();
  let end = whole.length;
  while (whole[end - 1] === '#') end -= 1;
  return whole.slice(0, end).trimEnd();
};
