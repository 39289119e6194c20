/** What a server answered, as a ToolOutput: text as it is, what is no text as a short note of what it was. */

import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { DIALECT_LIMITS } from '../../core/limits/dialect-limits.ts';
import { isDeepValue } from '../../core/nested-json.ts';
import { counted } from '../../core/number-text.ts';
import type { PicturePart } from '../../core/picture-kind.ts';
import { cutNote } from '../../core/tool/cut-note.ts';
import { fail, TOOL_ERROR, type ToolOutput } from '../../core/tool-result.ts';
import { mapInexact, parseWritten, writtenJson } from '../../core/written-numbers.ts';
import { cleanJson, cleanResult, cleanText } from '../clean-text.ts';
import { structuredText } from '../kept-digits.ts';
import { MCP_LIMITS } from '../limits.ts';

const textIn = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
/** One line of what a server calls something. */
export const plainWord = (value: JsonValue | undefined): string =>
  cleanText(textIn(value)).text.replaceAll(/\s+/g, ' ').slice(0, MCP_LIMITS.mcpShownCharacters);

/** Lines and the marks that fill the last group up are no bytes. */
const bytesOfBase64 = (data: JsonValue | undefined): number =>
  Math.floor((textIn(data).replaceAll(/[=\s]/g, '').length * 3) / 4);
const aboutBytes = (kind: string, { mimeType, data, blob }: JsonObject): string =>
  [kind, plainWord(mimeType), counted(bytesOfBase64(data ?? blob), 'byte')].filter((part) => part !== '').join(', ');
const note = (kind: string, bytes: JsonObject): string => `[${aboutBytes(kind, bytes)}: not shown]`;

/** A part of a result, of a prompt or of a resource. */
export const blockText = (block: JsonValue | undefined): string => {
  if (!isObject(block)) return '[content of a kind that is not known]';
  const { type, text, uri, description, resource } = block;
  switch (type) {
    case 'text':
      return cleanResult(textIn(text));
    case 'image':
    case 'audio':
      return note(type, block);
    case 'resource_link':
      return `[resource ${plainWord(uri)}${description === undefined ? '' : `: ${plainWord(description)}`}]`;
    case 'resource':
      return resourceText(isObject(resource) ? resource : {});
    default:
      return '[content of a kind that is not known]';
  }
};

export const resourceText = (resource: JsonObject): string =>
  typeof resource['text'] === 'string'
    ? `[resource ${plainWord(resource['uri'])}]\n${cleanResult(resource['text'])}`
    : note(`resource ${plainWord(resource['uri'])}`, resource);

/** Servers repeat structured content as text for older clients, whole or field by field; said once is enough. */
const isSaid = (texts: readonly string[], structured: JsonValue): boolean => {
  const isField = (value: JsonValue): boolean => typeof value === 'string' && texts.includes(value);
  if (isObject(structured) && Object.values(structured).every(isField)) return texts.length > 0;
  return texts.some((text) => isValue(text, structured));
};

const isValue = (text: string, value: JsonValue): boolean => {
  try {
    return exactly(parseWritten(text)) === exactly(value);
  } catch {
    return false;
  }
};

/** Numbers that a value does not hold are told apart by their digits. */
const exactly = (value: JsonValue): string => JSON.stringify(mapInexact([value], (digits) => [digits]));

/** At most so many bytes of UTF-8, without half a character at the end. */
export const boundedText = (text: string, maxBytes: number): { text: string; truncated?: string } => {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return { text };
  const truncated = `the beginning of ${counted(bytes.length, 'byte')}`;
  const kept = new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true });
  return { text: `${kept}\n${cutNote(`${truncated}; ask for less at a time`)}`, truncated };
};

const firstLines = (text: string): string => {
  const short = text.trim().slice(0, MCP_LIMITS.mcpErrorCharacters);
  return short === '' ? 'the tool failed and did not say why' : short;
};

/** A picture is for models that see; the text says to all others that there was one. */
const pictureIn = (block: JsonValue): PicturePart | undefined => {
  if (!isObject(block)) return undefined;
  const { type, mimeType, data, resource } = block;
  if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string')
    return { type: 'image', mime_type: mimeType, data_base64: data };
  if (type !== 'resource' || !isObject(resource)) return undefined;
  const { blob, mimeType: kind } = resource;
  if (typeof blob !== 'string' || typeof kind !== 'string' || !kind.startsWith('image/')) return undefined;
  return { type: 'image', mime_type: kind, data_base64: blob };
};

const TOO_DEEP = `the structured result is nested more than ${DIALECT_LIMITS.depth} levels deep: ask for less at a time`;

/** A picture that goes to the models that see. */
const shownPicture = ({ type, resource, ...image }: JsonObject): string =>
  type === 'resource' && isObject(resource)
    ? `[${aboutBytes(`resource ${plainWord(resource['uri'])}`, resource)}]`
    : `[${aboutBytes('image', image)}]`;

/** `keptBytes` may come where long results are put aside; without that the model's own bound holds. */
export const toToolOutput = (result: JsonObject, keptBytes: number | undefined): ToolOutput => {
  const { content, structuredContent: structured } = result;
  if (isDeepValue(structured)) return fail('parse_error', TOO_DEEP);
  const blocks = Array.isArray(content) ? content : [];
  const isError = result['isError'] === true;
  // A failure is told in words alone.
  const isShown = (block: JsonValue): block is JsonObject => !isError && pictureIn(block) !== undefined;
  const texts = blocks.map((block) => (isShown(block) ? shownPicture(block) : blockText(block)));
  const written = structured === undefined ? undefined : cleanJson(structuredText(result) ?? writtenJson(structured));
  // As it came and as it is handed on.
  const values = structured === undefined || written === undefined ? [] : [structured, parseWritten(written)];
  if (written !== undefined && !values.some((value) => isSaid(texts, value))) texts.push(written);
  const { text, truncated } = boundedText(texts.join('\n'), keptBytes ?? MCP_LIMITS.mcpResultBytes);
  const metadata = truncated === undefined ? {} : { truncated };
  if (!isError) {
    const pictures = blocks.flatMap((block) => pictureIn(block) ?? []);
    const shown = pictures.length === 0 ? {} : { for_model: [{ type: 'text' as const, text }, ...pictures] };
    const isJson = values.some((value) => isValue(text, value));
    const marked = isJson ? { is_json: true as const } : {};
    return { success: true, data: text, ...marked, ...(truncated === undefined ? {} : { metadata }), ...shown };
  }
  const isLong = text.length > MCP_LIMITS.mcpErrorCharacters;
  return fail('io_error', firstLines(text), { reason: TOOL_ERROR, ...metadata, ...(isLong ? { data: text } : {}) });
};
