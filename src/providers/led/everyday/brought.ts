/**
 * A text that came along with a question (piped in, or pasted behind it): the question is about that text and not about the
 * folder. What can be counted or found in it is told, and the rest is said to be beyond the model. Pure.
 */
import { counted } from '../../../core/number-text.ts';
import { isGreeting, isTold } from '../free-talk.ts';
import { LED_LIMITS } from '../limits.ts';
import { quoteResult } from '../steps/answer.ts';
import { isThanks } from './about.ts';
import type { Plan } from './plan.ts';

export type Brought = {
  question: string;
  text: string;
  /** It asks about the folder, and the text only says more of what. */
  ofFolder: boolean;
};

/** A greeting, thanks, "I am new here.": a paragraph that asks nothing, so the next one does. */
export const withoutOpening = (request: string): string => {
  let asked = request.trim();
  for (let dropped = 0; dropped < LED_LIMITS.openings; dropped += 1) {
    const end = asked.search(/\n[^\S\n]*\n/);
    if (end < 0) return asked;
    const [first, rest] = [asked.slice(0, end).trim(), asked.slice(end).trim()];
    const isOpening = first.length <= LED_LIMITS.questionCharacters && isOpeningBefore(first, rest);
    if (!isOpening) return asked;
    asked = rest;
  }
  return asked;
};
const ASKS_FOR_HELP =
  /^(?:(?:please|hi|hello|hey),? )*(?:(?:can|could|will|would) you (?:please )?)?(?:help|assist)(?: me| us)?(?: out)?(?: please)?[?.! ]*$|^(?:i have )?(?:a |one |another |some )?(?:quick |short |small )?questions?[.:! ]*$/i;
const isOpeningBefore = (first: string, rest: string): boolean =>
  isGreeting(first) || isThanks(first) || ASKS_FOR_HELP.test(first) || (isTold(first) && mayAsk(rest));
/** What is told may be about a text: only what is short asks something of its own. */
const mayAsk = (rest: string): boolean =>
  rest.length <= LED_LIMITS.questionCharacters && rest.split('\n').length <= LED_LIMITS.questionLines;

/** The first paragraph asks; what stands behind an empty line is what it asks about. */
export const broughtIn = (request: string): Brought | undefined => {
  const lines = request.trim().split('\n');
  const end = lines.findIndex((line) => line.trim() === '');
  if (end < 1 || end > LED_LIMITS.questionLines) return undefined;
  const question = lines.slice(0, end).join(' ');
  if (question.length > LED_LIMITS.questionCharacters) return undefined;
  const ofFolder = SPEAKS_OF_FOLDER.test(question);
  return { question, text: lines.slice(end + 1).join('\n'), ofFolder };
};

const SPEAKS_OF_FOLDER =
  /\b(?:files?|folders?|director(?:y|ies)|project|repo(?:sitory)?|codebase|workspace|git|here)\b|[\w-]\.[a-z]{1,5}\b/i;

const COUNT = /\b(?:how many|number of|count)\b.*?\b(lines?|words?|characters?|letters?|bytes?)\b/i;
const PART = /\b(first|last|top|bottom)\s+(?:(\d{1,4})\s+)?lines?\b/i;
const HOLDS =
  /^(?:please |can you |could you )*(?:grep|search(?: for)?|find|show|list|print|(?:does|do|is|are) .*?)\s*\b(?:(?:all |the |which )?lines? (?:with|about|containing|that (?:contain|mention))|mention|contain|include|for|grep)?\s+(?:the (?:word|text|line) )?["'`]?([\p{L}\p{N}_.-]+)["'`]?[?.!]*$/iu;
const ASKS_FOR_LINES =
  /^(?:please |can you |could you )*(?:grep|search|find)\b|\b(?:mention|contain|include)s?\b|\blines? (?:with|about|containing)\b/i;

/** A text that was piped in comes without what was blank at its end. */
const TRIMMED = ', not counting blank space at its end';
const encoder = new TextEncoder();
const amountOf = (text: string, unit: string): string => {
  const kind = unit.toLowerCase().replace(/s$/, '');
  if (kind === 'line') return counted(text === '' ? 0 : text.split('\n').length, 'line') + TRIMMED;
  if (kind === 'word') return counted(text.split(/\s+/).filter((word) => word !== '').length, 'word');
  return (
    (kind === 'byte' ? counted(encoder.encode(text).length, 'byte') : counted([...text].length, 'character')) + TRIMMED
  );
};

/** What is known for sure of such a text; undefined where nothing is. */
export const broughtPlan = ({ question, text }: Brought): Plan | undefined => {
  const unit = COUNT.exec(question)?.[1];
  if (unit !== undefined) return { kind: 'say', text: `The text that came along has ${amountOf(text, unit)}.` };
  const lines = text.split('\n');
  const part = PART.exec(question);
  if (part !== null) {
    const count = Number(part[2] ?? '1');
    if (count === 0) return { kind: 'say', text: 'That asks for no line.' };
    const shown = /first|top/i.test(part[1] ?? '') ? lines.slice(0, count) : lines.slice(-count);
    return { kind: 'say', text: quoteResult(shown.join('\n')).join('\n') };
  }
  const word = ASKS_FOR_LINES.test(question) ? HOLDS.exec(question)?.[1] : undefined;
  if (word === undefined) return undefined;
  const held = lines.filter((line) => line.toLowerCase().includes(word.toLowerCase()));
  const none = `No line of the text that came along holds “${word}”.`;
  return { kind: 'say', text: held.length === 0 ? none : quoteResult(held.join('\n')).join('\n') };
};
