/** What the list of documents holds, and how it follows from what the server and this page know. */
import { DOCUMENT_LIMITS } from '../../../../src/core/limits/document-limits.ts';
import type { DocumentRow } from '../../state/api.ts';
import type { UploadProgress } from '../../state/upload.ts';

export type DocumentView = {
  name: string;
  size: number;
  lines?: number;
  /** What a message says of it to the model. */
  note?: string;
  /** Its whole text, where it is so short that looking it up would be a detour. */
  text?: string;
  state: 'coming' | 'ready' | 'failed';
  progress?: UploadProgress;
  /** Why it could not be taken. */
  problem?: string;
  /** It came since the last message. */
  fresh: boolean;
};

/** What came since the last message, as it is kept through a reload. */
export type Fresh = { name: string; text?: string };

export const viewOf = ({ name, size_bytes, lines, note }: DocumentRow): DocumentView => ({
  name,
  size: size_bytes,
  lines,
  note,
  state: 'ready',
  fresh: false,
});

export const freshIn = (list: readonly DocumentView[]): Fresh[] =>
  list.filter((each) => each.fresh && each.state === 'ready').map(({ name, text }) => ({ name, text }));

/** With these as what came since the last message, or as what went with one. */
export const marked = (known: readonly DocumentView[], names: readonly string[], fresh: boolean): DocumentView[] =>
  known.map((each) => (names.includes(each.name) ? { ...each, fresh } : each));

/** The server says which documents there are; what is on its way or was refused is known here alone. */
export const merged = (
  known: readonly DocumentView[],
  rows: readonly DocumentRow[],
  kept: readonly Fresh[],
): DocumentView[] => {
  const here = new Map(known.map((each) => [each.name, each]));
  const fresh = new Map(kept.map((each) => [each.name, { ...each, fresh: true }]));
  const there = rows.map((row) => ({ ...viewOf(row), ...fresh.get(row.name), ...here.get(row.name) }));
  const names = new Set(rows.map(({ name }) => name));
  return [...there, ...known.filter(({ name, state }) => state !== 'ready' && !names.has(name))];
};

/** The list with one document changed, added at its end, or taken out where `change` gives nothing. */
export const placed = (
  known: readonly DocumentView[],
  name: string,
  change: (before: DocumentView | undefined) => DocumentView | undefined,
): readonly DocumentView[] => {
  const at = known.findIndex((each) => each.name === name);
  const next = change(known[at]);
  if (at === -1) return next ? [...known, next] : known;
  return known.flatMap((each, index) => (index === at ? (next ?? []) : each));
};

export const tooLarge = (file: File, name: string): string | undefined => {
  if (file.size <= DOCUMENT_LIMITS.indexDocumentBytes) return undefined;
  const most = Math.round(DOCUMENT_LIMITS.indexDocumentBytes / 1024 / 1024);
  return `${name} is too large: a document may have ${most} MB.`;
};

/** Its whole text, where it is so short that looking it up would be a detour. */
export const shortText = async (file: File): Promise<string | undefined> => {
  if (file.size > SHORT_BYTES) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
};
const SHORT_BYTES = 6_000;
