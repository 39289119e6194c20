/** Text as PostgreSQL's full text takes it: words with spaces between them, in small letters and without accents. */
import { STORAGE_LIMITS } from '../../limits.ts';

const ASCII = /^[\x00-\x7f]*$/;
const MARKS = /\p{M}/gu;
const WORDS = /[\p{L}\p{N}]+/gu;
/** A lexeme may have 2,046 bytes; nobody asks for such a word. */
const WORD_CHARACTERS = 500;

export const plainText = (text: string): string => {
  const short = text.slice(0, STORAGE_LIMITS.indexChunkWords).toLowerCase();
  const plain = ASCII.test(short) ? short : short.normalize('NFKD').replace(MARKS, '');
  return (plain.match(WORDS) ?? []).filter((word) => word.length <= WORD_CHARACTERS).join(' ');
};

/** PostgreSQL takes neither NUL nor half of a pair. */
export const storable = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed();

/** As a `tsquery` is written. */
export const quoted = (lexeme: string): string => `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** The lexeme that every part of an index has, and no text. */
export const markOf = (index: number): string => `#${index}`;
