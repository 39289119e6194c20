/** The bytes of a file → the lines that are kept of it, or why there are none. */

import { LIMITS } from '../core/limits.ts';
import { isWrittenProse } from '../core/written-prose.ts';
import { endingOf } from './languages.ts';
import { SEARCH_LIMITS } from './limits.ts';

export type TextOf =
  | { kind: 'text' | 'pdf' | 'office'; lines: string[]; text: string }
  | { kind: 'none'; note: string };

const OFFICE: ReadonlySet<string> = new Set(['.docx', '.pptx', '.xlsx', '.odt', '.odp', '.ods']);

export const isDocument = (path: string): boolean => endingOf(path) === '.pdf' || OFFICE.has(endingOf(path));

/** How many bytes of this file may be read. */
export const maxBytesOf = (path: string): number =>
  isDocument(path) ? LIMITS.indexDocumentBytes : SEARCH_LIMITS.indexFileBytes;

const none = (note: string): TextOf => ({ kind: 'none', note });

const decoded = (bytes: Uint8Array): { text: string } | { note: string } => {
  const [first, second] = bytes;
  const encoding = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : '';
  if (encoding === '' && bytes.includes(0)) return { note: 'binary' };
  try {
    return { text: new TextDecoder(encoding || 'utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { note: 'not UTF-8' };
  }
};

export const readText = async (path: string, bytes: Uint8Array): Promise<TextOf> => {
  const ending = endingOf(path);
  if (ending === '.pdf') {
    const { loadPdfReader, pdfLines } = await import('./documents/pdf.ts');
    const reader = await loadPdfReader();
    return reader.ok ? documentOf('pdf', await pdfLines(reader.value, bytes)) : none(reader.error.message);
  }
  if (OFFICE.has(ending)) {
    const { officeLines } = await import('./documents/office.ts');
    return documentOf('office', officeLines(ending, bytes));
  }
  const read = decoded(bytes);
  if ('note' in read) return none(read.note);
  const { text } = read;
  // As the tools count them: a `\r` at the end of a line is no part of it.
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  if (
    text.length > lines.length * SEARCH_LIMITS.indexLineCharacters &&
    text.length > SEARCH_LIMITS.indexLineCharacters * 10 &&
    !isWrittenProse(text)
  ) {
    return none('made by a machine: its lines are too long');
  }
  return { kind: 'text', lines, text };
};

const documentOf = (kind: 'pdf' | 'office', lines: string[] | undefined): TextOf =>
  lines === undefined ? none(`not a ${kind} file that can be read`) : { kind, ...bounded(lines) };

/** Of a very long document the beginning. */
const bounded = (lines: string[]): { lines: string[]; text: string } => {
  let characters = 0;
  const end = lines.findIndex((line) => {
    characters += line.length + 1;
    return characters > SEARCH_LIMITS.indexDocumentCharacters;
  });
  const kept = end === -1 ? lines : lines.slice(0, end);
  return { lines: kept, text: kept.join('\n') };
};
