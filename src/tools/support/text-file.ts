import { failure, type Outcome, succeed } from '../../core/outcome.ts';

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';
/** A file's text with what is needed to write it back as it was. `text` has no byte order mark. */
export type TextFile = { text: string; encoding: TextEncoding; hasByteOrderMark: boolean };

const MARKS: readonly { encoding: TextEncoding; bytes: readonly number[] }[] = [
  { encoding: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf-16le', bytes: [0xff, 0xfe] },
  { encoding: 'utf-16be', bytes: [0xfe, 0xff] },
];

/** UTF-8, or UTF-16 where a byte order mark says so. Bytes that are no text are a parse error, never replaced. */
export const decodeText = (bytes: Uint8Array, name: string): Outcome<TextFile> => {
  const mark = MARKS.find((candidate) => candidate.bytes.every((byte, index) => bytes[index] === byte));
  const encoding = mark?.encoding ?? 'utf-8';
  const body = mark === undefined ? bytes : bytes.subarray(mark.bytes.length);
  if (encoding === 'utf-8' && body.includes(0)) {
    return failure('parse_error', `${name} is a binary file, not text`, 'binary');
  }
  try {
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(body);
    return succeed({ text, encoding, hasByteOrderMark: mark !== undefined });
  } catch {
    const word = encoding.toUpperCase();
    return failure('parse_error', `${name} is not valid ${word}, so it cannot be read as text`, 'encoding');
  }
};

export const encodeText = (file: TextFile): Uint8Array => {
  const text = file.hasByteOrderMark ? `\uFEFF${file.text}` : file.text;
  if (file.encoding === 'utf-8') return Buffer.from(text, 'utf8');
  const bytes = Buffer.from(text, 'utf16le');
  return file.encoding === 'utf-16be' ? bytes.swap16() : bytes;
};
