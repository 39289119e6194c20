/** An answer with calls that are made: they are, and what stands beside them and cannot be is answered as well. */
import type { ParsedCall } from '../types.ts';
import type { UnreadCall } from '../unread-call.ts';
import { NAMELESS } from './call-words.ts';
import { exactFault } from './exact-call.ts';
import { headlessCall } from './headless-call.ts';
import { judgeStray } from './judge-stray.ts';
import {
  type AnswerContext,
  type AnswerReaders,
  type JudgedAnswer,
  type Judging,
  returned,
  withIds,
  withoutEnd,
} from './judged.ts';
import type { AnswerPart } from './reading.ts';

/** The call came without a name, and its arguments fit one tool. */
export const isGuessed = ({ repairs }: Pick<ParsedCall, 'repairs'>): boolean =>
  repairs.some(({ kind }) => kind === 'inferred_name');

/** Calls are made; what stands beside them and cannot be is answered as well. */
export const withCalls = ({ answer, context, readers, reading }: Judging): JudgedAnswer => {
  const { dialect, reads, mayGuess } = context;
  const { whole, result } = answer;
  // In a named dialect the name of a call is not guessed.
  const isRisky = (call: ParsedCall): boolean => isGuessed(call) && (dialect !== 'auto' || !mayGuess(call.name));
  const isRead = reading.parts.some((part) => part.kind === 'call' && !isRisky(part.call));
  // A mark that begins a call and closes the one before it has lost a stroke.
  const isMark = (part: AnswerPart): boolean =>
    part.kind === 'broken' && !context.isCut && readers.emptyStart(part.broken.text.trim()) === 0;
  const written = reading.parts.filter((part) => !(isRead && isMark(part)));
  const parts = written.map((part): AnswerPart => {
    if (part.kind === 'call' && isRisky(part.call)) {
      return {
        kind: 'unread',
        unread: { name: '', arguments: part.call.arguments, problem: NAMELESS, text: whole.trim() },
      };
    }
    // Its parser read no name yet, and then nobody would hear of it.
    const isNameless = isRead && part.kind === 'broken' && part.broken.name === undefined;
    const unread = isNameless ? cutAtEnd(part.broken.text, context, readers) : undefined;
    return unread === undefined ? part : { kind: 'unread', unread };
  });
  const first = parts.find((part) => part.kind === 'call')?.call;
  if (first === undefined) return { text: '', written: { dialect: reading.dialect, parts }, isReturned: true };
  const inexact = exactFault(reads, first.name, whole, readers.unread);
  if (inexact !== undefined) return returned([inexact], reading.dialect);
  const said = tidied(reading.content === result.content ? answer.text : reading.content);
  const unmarked = reading.parts.reduce(
    (rest, part) => (part.kind === 'broken' && isMark(part) ? withoutEnd(rest, part.broken) : rest),
    said,
  );
  const text = parts.reduce((rest, part) => (part.kind === 'unread' ? withoutEnd(rest, part.unread) : rest), unmarked);
  const tail = behindBroken(reading.tail, parts);
  const cut = cutAtEnd(tail, context, readers) ?? misshapenAtEnd(tail, context, readers);
  if (cut === undefined) return { text, written: withIds({ dialect: reading.dialect, parts }) };
  return {
    text: withoutEnd(text, cut),
    written: withIds({ dialect: reading.dialect, parts: [...parts, { kind: 'unread', unread: cut }] }),
  };
};

/** Behind the calls that cannot be read and are answered already: their text stands in the content. */
const behindBroken = (text: string, parts: readonly AnswerPart[]): string =>
  parts.reduce((rest, part) => {
    const at = part.kind === 'broken' && part.broken.text !== '' ? rest.indexOf(part.broken.text) : -1;
    return at < 0 || part.kind !== 'broken' ? rest : rest.slice(at + part.broken.text.length);
  }, text);

/** Without what is left of the marks around a call: the beginning of an end tag, a backtick that was opened before it. */
const tidied = (text: string): string => {
  const untagged = text.replace(/\s*<\/[\w|:-]*$/, '');
  const isOdd = untagged.trimEnd().endsWith('`') && untagged.split('`').length % 2 === 0;
  return isOdd ? untagged.trimEnd().slice(0, -1).trimEnd() : untagged;
};

/** What the answer ends in, behind calls, is one more that no notation reads. */
const misshapenAtEnd = (
  text: string,
  { isTool, tools }: AnswerContext,
  readers: AnswerReaders,
): UnreadCall | undefined => {
  if (tools === undefined || text.trim() === '') return undefined;
  const unread = readers.unread(text, 'auto');
  if (unread && (unread.isMarked || isTool(unread.name))) return unread;
  // A closing mark alone may be one too many.
  const rest = /[{=:]/.test(text) ? headlessCall(text, tools) : undefined;
  return rest?.isAll ? rest.call : undefined;
};

/** A call to a tool on offer that the answer ends inside of. */
export const cutAtEnd = (
  text: string,
  { isTool, tools }: AnswerContext,
  readers: AnswerReaders,
): UnreadCall | undefined => {
  const stray = tools === undefined ? undefined : readers.stray(text);
  const judged = stray?.isCut ? judgeStray(stray, { isOpen: true, isScanned: false, isTool }) : undefined;
  return judged !== undefined && 'unread' in judged ? judged.unread : undefined;
};
