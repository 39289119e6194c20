/** Pictures in messages of other libraries: a URL that holds the data, base64, or bytes. */
import { isObject } from '../../core/json.ts';
import { type PicturePart, pictureKindOf } from '../../core/picture-kind.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Types of parts of OpenAI's two APIs, and of the AI SDK in messages and in results of tools. */
const TYPES: ReadonlySet<unknown> = new Set([
  'image_url',
  'input_image',
  'image',
  'file',
  'media',
  'image-data',
  'image-url',
  'file-data',
  'file-url',
]);

/** Undefined where it is no picture, or its data is elsewhere: no server is asked for what a history names. */
export const pictureOf = (part: Fields): PicturePart | undefined => {
  const { type, image_url, image, data, url, mediaType, mimeType } = part;
  if (!TYPES.has(type)) return undefined;
  const text = textOf(isObject(image_url) ? image_url['url'] : (image_url ?? image ?? data ?? url));
  if (text === undefined) return undefined;
  const [, told, encoded] = DATA_URL.exec(text) ?? [];
  const data_base64 = encoded ?? text;
  // A colon stands in no base64: it is an address.
  if (data_base64.includes(':')) return undefined;
  const mime_type = [told, mediaType, mimeType].find(isPictureKind) ?? pictureKindOf(data_base64);
  return mime_type === undefined ? undefined : { type: 'image', mime_type, data_base64 };
};

const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*;base64,(.*)$/s;
/** The AI SDK takes `image` and `image/*` too, where the data tells the kind. */
const isPictureKind = (kind: unknown): kind is string => typeof kind === 'string' && /^image\/[\w.+-]+$/.test(kind);

/** A string as it is, bytes as base64. */
const textOf = (given: unknown): string | undefined => {
  if (typeof given === 'string') return given;
  if (given instanceof URL) return String(given);
  if (ArrayBuffer.isView(given)) return base64Of(given.buffer, given.byteOffset, given.byteLength);
  if (given instanceof ArrayBuffer || given instanceof SharedArrayBuffer) return base64Of(given, 0, given.byteLength);
  if (!isObject(given)) return undefined;
  const { type, data, url } = given;
  // As `JSON.stringify` writes a Buffer.
  if (type === 'Buffer' && Array.isArray(data)) return Buffer.from(data as number[]).toString('base64');
  if (type === 'data' || type === 'url') return textOf(data ?? url);
  return undefined;
};

const base64Of = (bytes: ArrayBufferLike, from: number, length: number): string =>
  Buffer.from(bytes, from, length).toString('base64');
