/** What a tool's function returned, as its result: text, JSON, or a picture. */

import type { ContentPart } from '../message.ts';
import { counted } from '../number-text.ts';
import { ok, type ToolOutput } from '../tool-result.ts';
import { toBase64 } from './base64.ts';
import { refused } from './returned-json.ts';

/** Text, JSON, or a picture as its bytes. */
export const outputOf = (value: unknown): ToolOutput => {
  if (value instanceof Uint8Array || value instanceof ArrayBuffer) return pictureOutput(value);
  return ok(value as object);
};

const MAGIC: readonly (readonly [mimeType: string, bytes: readonly number[], at?: number])[] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
  ['image/webp', [0x57, 0x45, 0x42, 0x50], 8],
];

/** Models that see get the picture; the result says that there is one. */
const pictureOutput = (value: Uint8Array | ArrayBuffer): ToolOutput => {
  const bytes = value instanceof Uint8Array ? value : new Uint8Array(value);
  const kind = MAGIC.find(([, magic, at = 0]) => magic.every((byte, index) => bytes[at + index] === byte));
  if (kind === undefined)
    throw refused(
      'the value',
      `${counted(bytes.length, 'byte')} of no picture`,
      'Return text, JSON, or a PNG, JPEG, GIF or WebP.',
    );
  const [mime_type] = kind;
  const picture: ContentPart = { type: 'image', mime_type, data_base64: toBase64(bytes) };
  const data = `[a picture, ${mime_type}, ${counted(bytes.length, 'byte')}]`;
  return { success: true, data, for_model: [{ type: 'text', text: data }, picture] };
};
