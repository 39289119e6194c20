/** One file on its way into the index: read, and parsed where its bytes changed. */
import type { FileFacts, KnownFile } from '../core/index-port.ts';
import type { Outcome } from '../core/outcome.ts';
import { isTokenFile, tokenIn } from '../core/policy/token-files.ts';
import type { Workspace } from '../core/ports.ts';
import { codeChunks, proseChunks } from './chunks.ts';
import type { FileContents } from './file-entry.ts';
import { type Language, languageOf } from './languages.ts';
import type { Outline } from './outline.ts';
import { outlineOf } from './parser.ts';
import { maxBytesOf, readText } from './read-text.ts';

export type ParserThread = {
  /** As `outlineOf`; fails where the thread is gone. */
  outlineOf(language: Language, text: string): Promise<Outcome<Outline | undefined>>;
  close(): Promise<void>;
};

/** A file as far as it is known before it is written: its contents, or that they are the same as before. */
export type PreparedFile = { facts: FileFacts } & ({ contents: FileContents } | { same: KnownFile });

export type PrepareParts = {
  workspace: Workspace;
  now(): number;
  parser: ParserThread | undefined;
  signal: AbortSignal | undefined;
};

const NO_CONTENTS: FileContents = { lines: [], chunks: [] };
/** A file that was written a moment ago may be written again without a change of its time or size. */
const RECENT_MS = 2_000;
/** Stands for such a time: the next run reads the file again. */
const UNSURE = -1;

/** Undefined where there is no such file any more. */
export const prepareFile = async (
  path: string,
  before: KnownFile | undefined,
  parts: PrepareParts,
): Promise<PreparedFile | undefined> => {
  const read = await readOne(path, parts);
  if (read === undefined) return undefined;
  const { facts, bytes } = read;
  if (before !== undefined && before.hash === facts.hash && facts.hash !== '') return { facts, same: before };
  return { facts, contents: bytes === undefined ? NO_CONTENTS : await contentsOf(facts, bytes, parts.parser) };
};

const readOne = async (
  path: string,
  { workspace, now, signal }: PrepareParts,
): Promise<{ facts: FileFacts; bytes?: Uint8Array } | undefined> => {
  const read = await workspace.readFile(path, { maxBytes: maxBytesOf(path), signal });
  if (read.ok) {
    const { bytes, hash, stat } = read.value;
    const modifiedMs = now() - stat.modified_ms < RECENT_MS ? UNSURE : stat.modified_ms;
    const facts = { path, size: stat.size, modifiedMs, hash, language: '', note: '' };
    const token = isTokenFile(path) ? tokenIn(Buffer.from(bytes).toString()) : undefined;
    return token === undefined ? { facts, bytes } : { facts: { ...facts, note: `holds a key in ${token}` } };
  }
  if (read.error.error_type === 'not_found' || read.error.reason === 'cancelled') return undefined;
  const stat = await workspace.stat(path);
  if (!stat.ok || stat.value.kind !== 'file') return undefined;
  const { size, modified_ms: modifiedMs } = stat.value;
  const note = read.error.reason === 'too_large' ? `larger than ${maxBytesOf(path)} bytes` : read.error.message;
  return { facts: { path, size, modifiedMs, hash: '', language: '', note } };
};

const contentsOf = async (
  facts: FileFacts,
  bytes: Uint8Array,
  parser: ParserThread | undefined,
): Promise<FileContents> => {
  const read = await readText(facts.path, bytes);
  if (read.kind === 'none') {
    facts.note = read.note;
    return NO_CONTENTS;
  }
  const language = read.kind === 'text' ? languageOf(facts.path) : undefined;
  const outline = language && (await outlineBy(parser, language, read.text));
  facts.language = language && outline ? language.name : read.kind === 'text' ? 'prose' : read.kind;
  const chunks = language && outline ? codeChunks(read.lines, outline, language) : proseChunks(read.lines);
  return { lines: read.lines, chunks, outline };
};

/** In the parsing thread, and here where that one is gone. */
const outlineBy = async (
  parser: ParserThread | undefined,
  language: Language,
  text: string,
): Promise<Outline | undefined> => {
  const elsewhere = await parser?.outlineOf(language, text);
  return elsewhere?.ok ? elsewhere.value : outlineOf(language, text);
};
