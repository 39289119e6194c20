/** What a tool's function returned, as its result: text, JSON, or a picture. */

import type { ContentPart } from '../message.ts';
import { counted } from '../number-text.ts';
import { pictureKindOf } from '../picture-kind.ts';
import { ok, type ToolOutput } from '../tool-result.ts';
import { toBase64 } from './base64.ts';
import { refused } from './returned-json.ts';

/** Text, JSON, or a picture as its bytes. */
export const outputOf = (value: unknown): ToolOutput => {
  if (value instanceof Uint8Array || value instanceof ArrayBuffer) return pictureOutput(value);
  return ok(value as object);
};

/** Models that see get the picture; the result says that there is one. */
const pictureOutput = (value: Uint8Array | ArrayBuffer): ToolOutput => {
  const bytes = value instanceof Uint8Array ? value : new Uint8Array(value);
  const data_base64 = toBase64(bytes);
  const mime_type = pictureKindOf(data_base64);
  if (mime_type === undefined)
    throw refused(
      'the value',
      `${counted(bytes.length, 'byte')} of no picture`,
      'Return text, JSON, or a PNG, JPEG, GIF or WebP.',
    );
  const picture: ContentPart = { type: 'image', mime_type, data_base64 };
  const data = `[a picture, ${mime_type}, ${counted(bytes.length, 'byte')}]`;
  return { success: true, data, for_model: [{ type: 'text', text: data }, picture] };
};
