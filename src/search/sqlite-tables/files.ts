/** Files of an index, and what they import. */
import type { FileRow, ImportRow, IndexedFile, IndexTables } from '../../core/index-port.ts';
import type { SqliteStatements } from './statements.ts';

type FileTables = Pick<
  IndexTables,
  'fileById' | 'fileAt' | 'importsOf' | 'filesByKey' | 'importersOf' | 'paths' | 'sizeAndTime' | 'contents'
>;

export const fileTables = (statements: SqliteStatements): FileTables => ({
  fileById: async (id) => statements.one<FileRow>('SELECT id, path, language FROM files WHERE id = ?', id),
  fileAt: async (path) => statements.one<FileRow>('SELECT id, path, language FROM files WHERE path = ?', path),
  importsOf: async (file) =>
    statements
      .all<Omit<ImportRow, 'names'> & { names: string }>(
        'SELECT file, module, names, line FROM imports WHERE file = ?',
        file,
      )
      .map((row) => ({ ...row, names: JSON.parse(row.names) as ImportRow['names'] })),
  filesByKey: async (key) =>
    statements.all<FileRow>(
      'SELECT id, path, language FROM file_keys JOIN files ON files.id = file_keys.file WHERE key = ? LIMIT 500',
      key,
    ),
  importersOf: async (key, limit) =>
    statements
      .all<{ file: number }>('SELECT DISTINCT file FROM imports WHERE key = ? LIMIT ?', key, limit)
      .map(({ file }) => file),
  paths: async () => statements.all<{ path: string }>('SELECT path FROM files').map(({ path }) => path),
  sizeAndTime: async (path) => statements.one('SELECT size, modified_ms AS modifiedMs FROM files WHERE path = ?', path),
  contents: async () =>
    statements.all<IndexedFile>(
      `SELECT files.path, files.note, count(chunks.id) AS chunks, coalesce(max(chunks.line_end), 0) AS lines
         FROM files LEFT JOIN chunks ON chunks.file = files.id GROUP BY files.id`,
    ),
});
