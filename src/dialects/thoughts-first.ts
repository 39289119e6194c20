/**
 * A parser for an answer whose thoughts the prompt may have opened: what comes is told as reasoning until a mark closes it.
 * An answer without such a mark is text, and is told as text when it has ended.
 */
import { auto } from './all-dialects.ts';
import { MARKS_MAX, splitThoughts, thoughtMarks } from './opened-thoughts.ts';
import type { ParseResult, Parser, ParserEvent } from './types.ts';

export type ThoughtsFirstParser = Parser & {
  /** Thoughts were there; false until a mark has closed them. */
  readonly isClosed: boolean;
  /** The text behind them; all of it where there were none. */
  readonly rest: string;
};

const SYNTAXES = auto.reasoning ?? [];
const OPENERS = SYNTAXES.flatMap(({ open }) => open ?? []);
const MARKS = thoughtMarks(SYNTAXES);
const CLOSERS = MARKS.closers;
const LONGEST = Math.max(...CLOSERS.map((mark) => mark.length));
const NOTHING: ParseResult = {
  dialect: auto.name,
  content: '',
  reasoning: '',
  calls: [],
  broken: [],
  truncated: false,
};

/** Models that are named for their thinking, and whose prompts as a rule open it. */
export const isNamedThinker = (model: string): boolean =>
  /(?:^|[^a-z])(?:thinking|reasoner|qwq)(?![a-z])|(?:^|[^a-z0-9])r1(?![a-z0-9])/i.test(model);

/** `open` makes the parser of the text behind the thoughts. */
export const createThoughtsFirstParser = (open: () => Parser): ThoughtsFirstParser => {
  const behind = open();
  let text = '';
  let told = 0;
  let searched = 0;
  let marks = 0;
  let rest: string | undefined;
  let thoughts = '';
  const tell = (to: number): ParserEvent[] => {
    const piece = text.slice(told, to);
    told = Math.max(told, to);
    return piece === '' ? [] : [{ type: 'reasoning', text: piece }];
  };
  const readBefore = (part: string): ParseResult => {
    const parser = open();
    parser.push(part);
    return parser.end().result;
  };
  /** What begins with a mark of its own needs no looking ahead. */
  const pass = (): ParserEvent[] => {
    rest = text;
    return behind.push(text);
  };
  const close = (): ParserEvent[] | undefined => {
    const split = splitThoughts(text, NOTHING, MARKS, readBefore);
    if (split === undefined) return undefined;
    const end = text.length - split.rest.length;
    const mark = CLOSERS.find((one) => text.endsWith(one, end)) ?? '';
    const last = tell(end - mark.length);
    ({ thoughts, rest } = split);
    return [...last, ...behind.push(split.rest)];
  };
  return {
    get isClosed() {
      return thoughts !== '';
    },
    get rest() {
      return rest ?? text;
    },
    push(delta) {
      if (rest !== undefined) {
        rest += delta;
        return behind.push(delta);
      }
      text += delta;
      const begun = text.trimStart();
      if (OPENERS.some((opener) => begun.startsWith(opener))) return pass();
      if (OPENERS.some((opener) => opener.startsWith(begun))) return [];
      const mark = marks < MARKS_MAX ? firstMark(text, searched) : undefined;
      if (mark === undefined) return tell(safeEnd(text));
      // What follows the mark decides whether it is only spoken of.
      if (!/\S/.test(text.slice(mark.end))) return tell(mark.at);
      const closed = close();
      searched = mark.end;
      marks += 1;
      return closed ?? tell(safeEnd(text));
    },
    end(options) {
      const events = rest === undefined ? (close() ?? pass()) : [];
      const { events: last, result } = behind.end(options);
      const reasoning = [thoughts, result.reasoning].filter((part) => part !== '').join('\n\n');
      return { events: [...events, ...last], result: { ...result, reasoning } };
    },
  };
};

/** Whether the text begins in thoughts that its prompt opened. */
export const beginsInThoughts = (text: string, open: () => Parser): boolean => {
  if (firstMark(text, 0) === undefined) return false;
  const parser = createThoughtsFirstParser(open);
  parser.push(text);
  parser.end();
  return parser.isClosed;
};

const firstMark = (text: string, from: number): { at: number; end: number } | undefined => {
  let first: { at: number; end: number } | undefined;
  for (const mark of CLOSERS) {
    const at = text.indexOf(mark, from);
    if (at >= 0 && (first === undefined || at < first.at)) first = { at, end: at + mark.length };
  }
  return first;
};

/** Before what may become a mark. */
const safeEnd = (text: string): number => {
  const from = Math.max(0, text.length - LONGEST);
  const at = Math.max(text.lastIndexOf('<'), text.lastIndexOf('['));
  return at >= from ? at : text.length;
};
