/** Files of an index, and what they import. */
import type { FileRow, ImportRow, IndexedFile, IndexTables } from '../../../../core/index-port.ts';
import { storable } from '../words.ts';
import { type IndexQueries, ofEach } from './queries.ts';

const FILES_OF_A_KEY = 500;

type FileTables = Pick<
  IndexTables,
  'fileById' | 'fileAt' | 'importsOf' | 'filesByKey' | 'importersOf' | 'paths' | 'sizeAndTime' | 'contents'
>;

export const fileTables = (queries: IndexQueries): FileTables => {
  const filesById = queries.listed<number, FileRow>(
    ofEach('bigint', 'id::float8 AS id, path, language', 'FROM halter.index_files WHERE index = $1 AND id = sought'),
    (keys) => [keys],
  );
  const filesAt = queries.listed<string, FileRow & { size: number; modifiedMs: number }>(
    ofEach(
      'text',
      'id::float8 AS id, path, language, size::float8 AS size, modified_ms AS "modifiedMs"',
      'FROM halter.index_files WHERE index = $1 AND path = sought',
    ),
    (keys) => [keys.map(storable)],
  );
  const importsOf = queries.listed<number, ImportRow>(
    ofEach(
      'bigint',
      'file::float8 AS file, module, names, line',
      'FROM halter.index_imports WHERE index = $1 AND file = sought ORDER BY line, module',
    ),
    (keys) => [keys],
  );
  const filesByKey = queries.listed<string, FileRow>(
    ofEach(
      'text',
      'id::float8 AS id, path, language',
      `FROM halter.index_file_keys AS keys JOIN halter.index_files AS files ON files.index = $1 AND files.id = keys.file
       WHERE keys.index = $1 AND md5(keys.key) = md5(sought) AND keys.key = sought
       ORDER BY id LIMIT ${FILES_OF_A_KEY}`,
    ),
    (keys) => [keys.map(storable)],
  );
  const importersOf = queries.listed<[key: string, limit: number], { file: number }>(
    ofEach(
      'text',
      'DISTINCT file::float8 AS file',
      `FROM halter.index_imports AS imports
       WHERE index = $1 AND md5(imports.key) = md5(sought) AND imports.key = sought ORDER BY file LIMIT $3`,
    ),
    (keys) => [keys.map(([key]) => storable(key)), Math.max(...keys.map(([, limit]) => limit))],
  );
  return {
    fileById: async (id) => (await filesById(id))[0],
    async fileAt(path) {
      const [file] = await filesAt(path);
      return file && { id: file.id, path: file.path, language: file.language };
    },
    importsOf,
    filesByKey,
    importersOf: async (key, limit) => (await importersOf([key, limit])).map(({ file }) => file),
    paths: async () =>
      (await queries.all<{ path: string }>('SELECT path FROM halter.index_files WHERE index = $1')).map(
        ({ path }) => path,
      ),
    async sizeAndTime(path) {
      const [file] = await filesAt(path);
      return file && { size: file.size, modifiedMs: file.modifiedMs };
    },
    contents: () =>
      queries.all<IndexedFile>(
        `SELECT path, note, count(chunks.id)::int AS chunks, coalesce(max(line_end), 0)::int AS lines
         FROM halter.index_files AS files LEFT JOIN halter.index_chunks AS chunks
           ON chunks.index = files.index AND chunks.file = files.id
         WHERE files.index = $1 GROUP BY files.id, path, note ORDER BY files.id`,
      ),
  };
};
