/** Files that were put into a session, for every process that works on it; they are deleted with it. */
import { failure, succeed } from '../../core/outcome.ts';
import { type DocumentFiles, isDocumentName, type StoredDocument } from '../document-files.ts';
import { STORAGE_LIMITS } from '../limits.ts';
import type { Database } from './database.ts';

/** By the id of the session: it may begin with a document. */
export const DOCUMENT_TABLES = `
  CREATE TABLE halter.documents (
    session text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    added_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    content bytea NOT NULL,
    PRIMARY KEY (session, name)
  );
`;

const MILLISECONDS = '(extract(epoch FROM added_at) * 1000)::bigint';

export const createPostgresDocuments = (database: Database, session: string): DocumentFiles => ({
  async keep(name, bytes) {
    if (!isDocumentName(name)) return failure('validation_failed', `${JSON.stringify(name)} is no name of a document`);
    const kept = await database.query({
      text: `
        INSERT INTO halter.documents (session, name, content) VALUES ($1, $2, $3)
        ON CONFLICT (session, name) DO UPDATE SET content = excluded.content, added_at = clock_timestamp()`,
      values: [session, name, Buffer.from(bytes)],
    });
    return kept.ok ? succeed(undefined) : kept;
  },
  async read(name) {
    if (!isDocumentName(name)) return succeed(undefined);
    const asked = await database.query<{ content: Buffer }>({
      text: 'SELECT content FROM halter.documents WHERE session = $1 AND name = $2',
      values: [session, name],
    });
    return asked.ok ? succeed(asked.value.rows[0]?.content) : asked;
  },
  async remove(name) {
    const removed = await database.query({
      text: 'DELETE FROM halter.documents WHERE session = $1 AND name = $2',
      values: [session, name],
    });
    return removed.ok ? succeed(undefined) : removed;
  },
  async list() {
    const asked = await database.query<{ name: string; size: number; added_at: string }>({
      name: 'halter_documents',
      text: `
        SELECT name, octet_length(content) AS size, ${MILLISECONDS} AS added_at
        FROM halter.documents WHERE session = $1 ORDER BY documents.added_at, name LIMIT $2`,
      values: [session, STORAGE_LIMITS.chatDocuments],
    });
    if (!asked.ok) return asked;
    return succeed(
      asked.value.rows.map(
        ({ name, size, added_at }): StoredDocument => ({ name, size_bytes: size, added_at: Number(added_at) }),
      ),
    );
  },
});

/** They stand in the copy in the same order. */
export const copyPostgresDocuments = async (database: Database, from: string, to: string): Promise<void> => {
  await database.query({
    text: `
      INSERT INTO halter.documents (session, name, added_at, content)
      SELECT $2, name, added_at, content FROM halter.documents WHERE session = $1 ON CONFLICT DO NOTHING`,
    values: [from, to],
  });
};
