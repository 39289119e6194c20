/** The file of an index: what damage does to it. What every index does is in tests/conformance. */
import fs from 'node:fs';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import type { IndexReport } from '../core/retrieval-port.ts';
import { FolderError } from '../disk/disk-failure.ts';
import { createWorkspace } from '../io/workspace.ts';
import { openForReading, openIndex, problemOf } from './database.ts';
import { Indexer } from './indexer.ts';
import { createSearcher } from './search.ts';
import { SqliteStore } from './sqlite-store.ts';
import { createSqliteTables } from './sqlite-tables.ts';

const world = async (files: Record<string, string | Uint8Array>) => {
  const root = scratchFolder();
  putFiles(root, files);
  const file = path.join(scratchFolder(), 'index.sqlite');
  const workspace = await createWorkspace({ root });
  if (!workspace.ok) throw new Error(workspace.error.message);
  const { database, notes } = openIndex(file);
  let open = true;
  const close = (): void => {
    if (open) database.close();
    open = false;
  };
  onTestFinished(close);
  // Files are old to it, so that a file is told by its time and not read again.
  const indexer = new Indexer({
    store: new SqliteStore(database),
    workspace: workspace.value,
    now: () => Date.now() + 60_000,
  });
  const whole = async (): Promise<IndexReport> => {
    const done = await indexer.all();
    if (!done.ok) throw new Error(done.error.message);
    return done.value;
  };
  return { root, file, database, notes, indexer, whole, close };
};

const pathsFound = async (database: DatabaseSync, query: string): Promise<string[]> =>
  (await createSearcher(createSqliteTables(database)).search(query, { limit: 10 })).map((hit) => hit.path);

describe('damage', () => {
  it('a full disk is reported in words, and the index goes on once there is room', async () => {
    verifies('Z20');
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_none, at) => [`f${at}.md`, `# Part ${at}\n\n${`word${at} `.repeat(500)}\n`]),
    );
    const { database, file, indexer, whole } = await world(files);
    const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number };
    database.exec(`PRAGMA max_page_count = ${pages + 5}`);
    const problem = await indexer.all().then(
      () => 'none',
      (error: unknown) => problemOf(error, file),
    );
    expect(problem).toContain('The disk is full');
    database.exec('PRAGMA max_page_count = 100000');
    expect(await whole()).toMatchObject({ files: 40 });
    expect(await pathsFound(database, 'word39')).toEqual(['f39.md']);
  });

  it.each([
    ['database is locked', 'locked'],
    ['attempt to write a readonly database', 'cannot be written'],
    ['something else', 'could not be made: something else'],
  ])('of the kind "%s" is reported with the name of the file', (message, said) => {
    expect(problemOf(new Error(message), '/x.sqlite')).toContain(said);
    expect(problemOf(new Error(message), '/x.sqlite')).toContain('/x.sqlite');
  });

  it.each([
    new Error('attempt to write a readonly database'),
    new Error('unable to open database file.'),
    new FolderError('/x', Object.assign(new Error('no'), { code: 'EROFS' })),
    new FolderError('/x', Object.assign(new Error('no'), { code: 'EEXIST' })),
  ])('that cannot be written says what to do, and ends with one full stop: %s', (error) => {
    const said = problemOf(error, '/x.sqlite');
    expect(said).toMatch(/^The index \(\/x\.sqlite\) cannot be written: /);
    expect(said).not.toContain('..');
    if (!said.includes('EEXIST')) expect(said.match(/Make that folder writable/g)).toHaveLength(1);
  });

  it.each([
    [
      'no database at all',
      (file: string) => fs.writeFileSync(file, 'this is not a database, not at all, not even nearly '.repeat(40)),
    ],
    [
      'pages that were overwritten',
      (file: string) => {
        const bytes = fs.readFileSync(file);
        bytes.fill(0x5a, 4_096, bytes.length - 100);
        fs.writeFileSync(file, bytes);
      },
    ],
    ['a file that was cut', (file: string) => fs.truncateSync(file, 5_000)],
  ])('%s: the index is rebuilt, and that is reported', async (_what, damage) => {
    const { file, whole, close } = await world({ 'a.md': 'apples\n', 'b.ts': 'export const pear = () => 1;\n' });
    await whole();
    close();
    for (const ending of ['-wal', '-shm']) fs.rmSync(file + ending, { force: true });
    damage(file);
    const opened = openIndex(file);
    expect(opened.notes).toEqual(['The index was damaged and is rebuilt.']);
    expect(fs.readdirSync(path.dirname(file)).filter((name) => name.endsWith('.bad'))).toHaveLength(1);
    expect(opened.database.prepare('SELECT count(*) AS n FROM files').get()).toMatchObject({ n: 0 });
    opened.database.close();
  });

  it('an index of another version is rebuilt, and nobody reads it before', async () => {
    const { file, database, close } = await world({});
    database.exec('PRAGMA user_version = 77');
    close();
    expect(openForReading(file)).toBeUndefined();
    const opened = openIndex(file);
    expect(opened.notes[0]).toContain('another version (77)');
    opened.database.close();
  });
});
