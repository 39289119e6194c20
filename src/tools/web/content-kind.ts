/** What an answer holds, by its bytes first: what a server says of them is often wrong. */

export type ContentKind = { kind: 'html' | 'pdf' | 'text' | 'json' } | { kind: 'binary'; what: string };

const MAGIC: readonly [what: string, bytes: readonly number[], at?: number][] = [
  ['a PNG image', [0x89, 0x50, 0x4e, 0x47]],
  ['a JPEG image', [0xff, 0xd8, 0xff]],
  ['a GIF image', [0x47, 0x49, 0x46, 0x38]],
  ['a WebP image', [0x57, 0x45, 0x42, 0x50], 8],
  ['a WAV sound', [0x57, 0x41, 0x56, 0x45], 8],
  ['an AVIF or HEIF image or an MP4 video', [0x66, 0x74, 0x79, 0x70], 4],
  ['an icon', [0x00, 0x00, 0x01, 0x00]],
  ['a ZIP archive (or an Office file)', [0x50, 0x4b, 0x03, 0x04]],
  ['a gzip archive', [0x1f, 0x8b]],
  ['a 7z archive', [0x37, 0x7a, 0xbc, 0xaf]],
  ['a RAR archive', [0x52, 0x61, 0x72, 0x21]],
  ['an xz archive', [0xfd, 0x37, 0x7a, 0x58]],
  ['a zstd archive', [0x28, 0xb5, 0x2f, 0xfd]],
  ['an MP3 sound', [0x49, 0x44, 0x33]],
  ['an Ogg sound or video', [0x4f, 0x67, 0x67, 0x53]],
  ['a Matroska or WebM video', [0x1a, 0x45, 0xdf, 0xa3]],
  ['a program (ELF)', [0x7f, 0x45, 0x4c, 0x46]],
  ['a program (PE)', [0x4d, 0x5a, 0x90]],
  ['WebAssembly', [0x00, 0x61, 0x73, 0x6d]],
  ['a font', [0x77, 0x4f, 0x46]],
  ['a SQLite database', [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20, 0x66]],
];

const SNIFFED_BYTES = 4_096;
const startsWith = (bytes: Uint8Array, magic: readonly number[], at = 0): boolean =>
  bytes.length >= at + magic.length && magic.every((byte, index) => bytes[at + index] === byte);

export const mediaType = (contentType: string): string => (contentType.split(';')[0] ?? '').trim().toLowerCase();

/** A name for bytes of which only the sender says what they are. */
const announced = (type: string): string =>
  type === '' || type === 'application/octet-stream' ? 'bytes that are no text' : `${type} that is no text`;

export const contentKind = (bytes: Uint8Array, contentType: string): ContentKind => {
  const type = mediaType(contentType);
  if (startsWith(bytes, [0x25, 0x50, 0x44, 0x46, 0x2d])) return { kind: 'pdf' };
  const magic = MAGIC.find(([, pattern, at]) => startsWith(bytes, pattern, at));
  if (magic) return { kind: 'binary', what: magic[0] };
  const head = bytes.subarray(0, SNIFFED_BYTES);
  const isWide =
    startsWith(bytes, [0xff, 0xfe]) || startsWith(bytes, [0xfe, 0xff]) || /charset=["']?utf-16/i.test(contentType);
  if (!isWide && head.includes(0)) return { kind: 'binary', what: announced(type) };
  if (type === 'application/json' || type.endsWith('+json')) return { kind: 'json' };
  if (type === 'text/html' || type === 'application/xhtml+xml') return { kind: 'html' };
  const start = new TextDecoder('latin1').decode(head).trimStart().toLowerCase();
  const unsaid = type === '' || type === 'application/octet-stream' || type === 'text/plain';
  if (unsaid && /^(?:<!doctype html|<html[\s>])/.test(start) && type !== 'text/plain') return { kind: 'html' };
  if (/^(?:image|audio|video|font)\//.test(type) && type !== 'image/svg+xml') {
    return { kind: 'binary', what: `${type}, which is no text` };
  }
  return { kind: 'text' };
};
