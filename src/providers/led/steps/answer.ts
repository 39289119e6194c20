/**
 * The answer after a tool has run, for models too small to copy. A 135M model asked to repeat three file names invents a
 * fourth; so it writes only the opening words, under a grammar that has no room for a name or a number, and what follows
 * is the result's own text. Nothing in such an answer can be made up.
 */

import type { ToolMessage } from '../../../core/message.ts';
import { counted } from '../../../core/number-text.ts';
import { splitCutNote } from '../../../core/tool/cut-note.ts';
import { outputOf } from '../../../core/tool/no-output.ts';
import type { ToolSchema } from '../../../core/tool.ts';
import { asWritten, fenced } from '../as-written.ts';
import { LED_LIMITS } from '../limits.ts';
import { COMMON_VERBS, isGrammarWord, plainWords, stem } from '../words.ts';

/**
 * `Here are the paths of all files in the workspace:` – the words come from the tool's own name and description, so that
 * the model chooses how to say it and can state nothing.
 */
export const leadInGrammar = (tool: ToolSchema | undefined): string | undefined => {
  if (tool === undefined) return undefined;
  const { name, description } = tool.function;
  const sentence = /^.*?[.!?:;(](?=\s|$)/s.exec(description)?.[0] ?? description;
  const words = [...new Set(plainWords(`${name} ${sentence.replace(/\(.*/s, '')}`))].filter(
    (word) => /^[a-z]{2,20}$/.test(word) && !isGrammarWord(word) && !COMMON_VERBS.has(stem(word)),
  );
  if (words.length === 0) return undefined;
  return [
    'root ::= "Here " ("is" | "are") " the " word (" " (joint " ")? word){0,5} ":"',
    `word ::= ${words.map((word) => `"${word}"`).join(' | ')}`,
    'joint ::= "of" | "in the" | "of the" | "of all" | "and"',
  ].join('\n');
};
export const DEFAULT_LEAD_IN = 'Here is the result:';

/** The opening words as they were written; a fixed sentence where they are no whole one or say a word twice. */
export const checkedLeadIn = (written: string): string => {
  const words = plainWords(written).filter((word) => !isGrammarWord(word));
  const isSaidTwice = new Set(words.map(stem)).size < words.length;
  return written.endsWith(':') && !isSaidTwice ? written : DEFAULT_LEAD_IN;
};

const isTextList = (value: unknown): value is (string | number | boolean)[] =>
  Array.isArray(value) && value.every((entry) => ['string', 'number', 'boolean'].includes(typeof entry));

const readJson = (text: string): unknown => {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const fields = (value: object): string[] =>
  Object.entries(value).map(
    ([key, item]) => `${asWritten(key)}: ${asWritten(typeof item === 'string' ? item : JSON.stringify(item))}`,
  );

/** Lists as bullets, objects as `key: value` lines. */
const jsonLines = (value: object): string[] => {
  if (isTextList(value)) return value.length === 0 ? ['(none)'] : value.map((entry) => `- ${asWritten(String(entry))}`);
  if (Array.isArray(value)) {
    return value.map((entry: unknown) =>
      typeof entry === 'object' && entry !== null
        ? `- ${fields(entry).join(', ')}`
        : `- ${asWritten(JSON.stringify(entry))}`,
    );
  }
  return fields(value);
};

type CutLines = { kept: string[]; more: string[] };

const cut = (lines: readonly string[]): CutLines => {
  const kept: string[] = [];
  let characters = 0;
  for (const line of lines) {
    characters += line.length + 1;
    // A single line may be all there is, so a long one is cut and not left out.
    if (kept.length === 0 && characters > LED_LIMITS.ledQuoteCharacters) {
      kept.push(`${line.slice(0, LED_LIMITS.ledQuoteCharacters)} …`);
      break;
    }
    if (kept.length >= LED_LIMITS.ledQuoteLines || characters > LED_LIMITS.ledQuoteCharacters) break;
    kept.push(line);
  }
  const left = lines.length - kept.length;
  return { kept, more: left === 0 ? [] : [`… ${counted(left, 'more line')}`] };
};

/** A list that was cut ends in the middle of an entry; the ones before it are whole. */
const closedList = (text: string): string => `${text.slice(0, text.lastIndexOf('",') + 1)}]`;

/** The result's own text for a person as Markdown, shortened at its end where it is long, and said so. */
export const quoteResult = (data: string): string[] => {
  const { text, note } = splitCutNote(data);
  const json = readJson(text) ?? (note === undefined ? undefined : readJson(closedList(text)));
  const said = note === undefined ? [] : [note];
  if (typeof json === 'object' && json !== null) {
    const { kept, more } = cut(jsonLines(json));
    return [...(kept.length === 0 ? ['(nothing)'] : kept), ...more, ...said];
  }
  const { kept, more } = cut(text.replace(/\s+$/, '').split('\n'));
  const [first = ''] = kept;
  const quoted = kept.length > 1 ? fenced(kept) : [first === '' ? '(nothing)' : asWritten(first)];
  return [...quoted, ...more, ...said];
};

export const describeFailure = (message: ToolMessage): string => {
  const { error_type, error_message } = message.result;
  const output = outputOf(message.result);
  const why = error_message ?? 'it did not say why';
  const head =
    error_type === 'permission_denied'
      ? `\`${message.name}\` was not permitted: ${why}`
      : `\`${message.name}\` did not work (${error_type}): ${why}`;
  return output === '' ? head : `${head}\n${quoteResult(output).join('\n')}`;
};

/** One line stands behind the lead-in; more stand below it. */
export const joinAnswer = (leadIn: string, lines: readonly string[]): string =>
  lines.length === 1 && !(lines[0] ?? '').startsWith('- ')
    ? `${leadIn} ${lines[0]}`
    : `${leadIn}\n\n${lines.join('\n')}`;
