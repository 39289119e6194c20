/** What the model reads of a result: text for the message of the tool, and pictures for a message behind it. */

import type { ContentPart, ModelContent } from '../content-part.ts';
import { beginningOf } from '../cut-text.ts';
import { isObject } from '../json.ts';
import { LIMITS } from '../limits.ts';
import { grouped } from '../number-text.ts';
import { type PicturePart, truePicture } from '../picture-kind.ts';
import type { ToolResult } from '../tool-result.ts';
import { cutNote } from './cut-note.ts';

export type { ModelContent } from '../content-part.ts';

/** How results are told: their data as it is, the whole ToolResult as JSON, or E7's summary. */
export type ResultForm = 'compact' | 'full' | 'summary';

const KINDS: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

export const picturesIn = (content: ModelContent | undefined): PicturePart[] =>
  content === undefined || typeof content === 'string' ? [] : content.filter((part) => part.type === 'image');

export const textIn = (content: ModelContent): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');

/** Within the limits, in words where something was left out. Throws `TypeError` for what is no content. */
export const boundedContent = (given: unknown, characters: number = LIMITS.toolResultCharacters): ModelContent => {
  if (typeof given === 'string') return boundedText(given, characters);
  if (!Array.isArray(given)) throw notContent();
  let pictures = 0;
  return given.map((part: unknown): ContentPart => {
    if (isText(part)) return { type: 'text', text: boundedText(part.text, characters) };
    if (!isPicture(part)) throw notContent();
    pictures += 1;
    const why = refusal(part, pictures);
    if (why !== undefined) return { type: 'text', text: `[a picture was left out: ${why}]` };
    const { mime_type, data_base64 } = part;
    return (
      truePicture({ type: 'image', mime_type, data_base64 }) ?? {
        type: 'text',
        text: '[a picture was left out: its content is no PNG, JPEG, GIF or WebP]',
      }
    );
  });
};

const refusal = ({ mime_type, data_base64 }: PicturePart, number: number): string | undefined => {
  if (!KINDS.has(mime_type)) return `its kind is ${mime_type.slice(0, 40)}, and models see PNG, JPEG, GIF and WebP`;
  if (number > LIMITS.resultPictures) return `a result has at most ${LIMITS.resultPictures}`;
  if (data_base64.length > LIMITS.resultPictureCharacters)
    return `it has more than ${grouped(LIMITS.resultPictureCharacters)} characters of base64`;
  return BASE64.test(data_base64) ? undefined : 'it is no base64';
};
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const boundedText = (text: string, limit: number): string => {
  if (text.length <= limit) return text;
  return `${beginningOf(text, limit)}\n${cutNote(`the first ${grouped(limit)} of ${grouped(text.length)} characters`)}`;
};

const isText = (part: unknown): part is { type: 'text'; text: string } =>
  isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string';
const isPicture = (part: unknown): part is PicturePart =>
  isObject(part) &&
  part['type'] === 'image' &&
  typeof part['mime_type'] === 'string' &&
  typeof part['data_base64'] === 'string';
const notContent = (): TypeError =>
  new TypeError(
    "what the model reads is text, or a list of { type: 'text', text } and { type: 'image', mime_type, data_base64 }",
  );

/**
 * The compact form: the data itself, and of a failure one line of JSON in front of it. Nothing is escaped twice, and times
 * and sizes are nobody's business but the program's.
 */
export const compactText = (result: ToolResult, note: string | undefined): string => {
  const { success, data, error_type, error_message, metadata } = result;
  const { dropped_arguments: dropped, exit_code } = metadata;
  const cut = unsaidCut(result);
  const parts: string[] = [];
  if (success) parts.push(data === null || data === '' ? '(no output)' : data);
  else {
    parts.push(
      JSON.stringify({ success, error_type, error_message, ...(exit_code === undefined ? {} : { exit_code }) }),
    );
    if (data !== null && data !== '') parts.push(data);
  }
  if (dropped !== undefined) parts.push(`[unknown arguments were left out: ${dropped.join(', ')}]`);
  if (cut !== undefined) parts.push(`[${cut}]`);
  if (note !== undefined) parts.push(`[${note}]`);
  return parts.join('\n');
};

/** What was left out of a result, where its data does not say so itself: a list as JSON has no place for it. */
const unsaidCut = ({ data, metadata: { truncated } }: ToolResult): string | undefined =>
  truncated === undefined || data?.includes(truncated) ? undefined : truncated;
