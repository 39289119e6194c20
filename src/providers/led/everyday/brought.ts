/**
 * A text that came along with a question (piped in, or pasted behind it): the question is about that text and not about the
 * folder. What can be counted or found in it is told, and the rest is said to be beyond the model. Pure.
 */
import { counted } from '../../../core/number-text.ts';
import { LED_LIMITS } from '../limits.ts';
import { quoteResult } from '../steps/answer.ts';
import type { Plan } from './plan.ts';

export type Brought = {
  question: string;
  text: string;
  /** It asks about the folder, and the text only says more of what. */
  ofFolder: boolean;
};

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

const encoder = new TextEncoder();
const amountOf = (text: string, unit: string): string => {
  const kind = unit.toLowerCase().replace(/s$/, '');
  if (kind === 'line') return counted(text === '' ? 0 : text.split('\n').length, 'line');
  if (kind === 'word') return counted(text.split(/\s+/).filter((word) => word !== '').length, 'word');
  return kind === 'byte' ? counted(encoder.encode(text).length, 'byte') : counted([...text].length, 'character');
};

/** What is exact in such a text; undefined where nothing is. */
export const broughtPlan = ({ question, text }: Brought): Plan | undefined => {
  const unit = COUNT.exec(question)?.[1];
  if (unit !== undefined) return { kind: 'say', text: `The text that came along has ${amountOf(text, unit)}.` };
  const lines = text.split('\n');
  const part = PART.exec(question);
  if (part !== null) {
    const count = Number(part[2] ?? '1');
    const shown = /first|top/i.test(part[1] ?? '') ? lines.slice(0, count) : lines.slice(-count);
    return { kind: 'say', text: quoteResult(shown.join('\n')).join('\n') };
  }
  const word = ASKS_FOR_LINES.test(question) ? HOLDS.exec(question)?.[1] : undefined;
  if (word === undefined) return undefined;
  const held = lines.filter((line) => line.toLowerCase().includes(word.toLowerCase()));
  const none = `No line of the text that came along holds “${word}”.`;
  return { kind: 'say', text: held.length === 0 ? none : quoteResult(held.join('\n')).join('\n') };
};
