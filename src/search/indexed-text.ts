/** What an index holds of one file: whether anything of it can be found, and its text as it was read. */
import type { DatabaseSync } from 'node:sqlite';

export type IndexedFile = {
  path: string;
  /** Up to the last line that holds a word. */
  lines: number;
  chunks: number;
  /** Why nothing of it is kept; empty where something is. */
  note: string;
};

export const indexedFiles = (database: DatabaseSync): IndexedFile[] =>
  database
    .prepare(
      `SELECT files.path, files.note, count(chunks.id) AS chunks, coalesce(max(chunks.line_end), 0) AS lines
       FROM files LEFT JOIN chunks ON chunks.file = files.id GROUP BY files.id`,
    )
    .all() as IndexedFile[];

/** The lines of a document that is no text itself. Those without a word are not kept, and stand here empty. */
export const indexedText = (database: DatabaseSync, path: string): string => {
  const rows = database
    .prepare(
      `SELECT line_start, text FROM chunks WHERE file = (SELECT id FROM files WHERE path = ?) ORDER BY line_start`,
    )
    .all(path) as { line_start: number; text: string }[];
  const lines: string[] = [];
  for (const { line_start, text } of rows) {
    while (lines.length < line_start - 1) lines.push('');
    lines.splice(line_start - 1, lines.length, ...text.split('\n'));
  }
  return lines.join('\n');
};
