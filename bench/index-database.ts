/**
 * A part of `npm run bench:index`: the same files and questions in node:sqlite and in a PostgreSQL on this machine, in
 * ratios, and vectors with pgvector and without. `node bench/index-database.ts [COPIES [VECTORS]]`
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { docstringQuestions, parseFiles, sample } from '../evals/retrieval/questions.ts';
import type { IndexStore, IndexTables } from '../src/core/index-port.ts';
import { createWorkspace } from '../src/io/workspace.ts';
import { openForReading, openIndex } from '../src/search/database.ts';
import { Indexer } from '../src/search/indexer.ts';
import { INDEX_VERSION } from '../src/search/schema.ts';
import { createSearcher } from '../src/search/search.ts';
import { SqliteStore } from '../src/search/sqlite-store.ts';
import { createSqliteTables } from '../src/search/sqlite-tables.ts';
import { openPostgres } from '../src/storage/postgres.ts';
import { listFiles, ROOT } from '../tests/source-files.ts';
import { NO_POSTGRES, startPostgres } from '../tests/support/postgres-server.ts';
import { askedOf, copyInto } from './index/large.ts';

const COPIES = Number(process.argv[2] ?? 3);
const VECTORS = Number(process.argv[3] ?? 10_000);
const DIMENSIONS = 384;
const QUESTIONS = 100;
const RUNS = 5;
const GOAL_MS = 100;

const must = <T>(outcome: { ok: true; value: T } | { ok: false; error: { message: string } }): T => {
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
};
const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
};
const times = (one: number, other: number): string => `${(one / other).toFixed(1)} times node:sqlite's`;
const verdict = (good: boolean): string => (good ? 'ok' : 'NOT REACHED');

if (NO_POSTGRES !== undefined) {
  process.stdout.write(`${NO_POSTGRES}\n`);
  process.exit(0);
}

type Make = { name: string; store: IndexStore; tables(): Promise<IndexTables> };

const vectorOf = (seed: number): Float32Array =>
  Float32Array.from({ length: DIMENSIONS }, (_none, at) => Math.sin(seed * 12.9898 + at * 78.233));

/** How long one takes among so many, the second time: the first reads them. */
const vectorsIn = async ({ store, tables }: Make): Promise<{ first: number; next: number }> => {
  for (let left = VECTORS; left > 0; ) {
    const texts = await store.pendingTexts('bench', Math.min(left, 500));
    if (texts.length === 0) break;
    await store.writeVectors(
      'bench',
      texts.map(({ chunk }) => ({ chunk, vector: vectorOf(chunk) })),
    );
    left -= texts.length;
  }
  const asked = await tables();
  const first = await secondsOf(() => asked.nearest(vectorOf(1), 'bench', 200));
  const all: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    all.push(await secondsOf(() => asked.nearest(vectorOf(run), 'bench', 200)));
  }
  return { first: first * 1000, next: Math.min(...all) * 1000 };
};

const folder = mkdtempSync(join(tmpdir(), 'halter-bench-index-database-'));
const server = await startPostgres();
try {
  const sources = ['src', 'tests', 'bench', 'evals']
    .flatMap((name) => listFiles(name, ['.ts']))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
  const root = join(folder, 'files');
  for (let copy = 0; copy < COPIES; copy += 1) copyInto(root, sources, copy);
  const workspace = must(await createWorkspace({ root, blocking: true }));
  const asked = sample(docstringQuestions(await parseFiles(sources)).questions, QUESTIONS);

  const file = join(folder, 'index.sqlite');
  const { database } = openIndex(file);
  const sqlite: Make = {
    name: 'node:sqlite',
    store: new SqliteStore(database),
    tables: async () => createSqliteTables(openForReading(file) as NonNullable<ReturnType<typeof openForReading>>),
  };
  const url = await server.url('bench');
  await server.sql('CREATE ROLE ordinary LOGIN; GRANT CREATE ON DATABASE bench TO ordinary');
  // Who may not make pgvector asks first; who may, then.
  const plain = must(await openPostgres({ url: url.replace('//halter:', '//ordinary:') }));
  const shared = plain.index(root, INDEX_VERSION);
  const postgres: Make = {
    name: 'PostgreSQL',
    store: (await shared.store()).store,
    tables: async () => (await shared.tables()) as IndexTables,
  };

  const indexed = new Map<Make, number>();
  for (const make of [sqlite, postgres]) {
    const indexer = new Indexer({ store: make.store, workspace, now: () => Date.now() + 60_000 });
    indexed.set(make, await secondsOf(async () => must(await indexer.all())));
  }
  const tables = await postgres.tables();
  const { chunks } = await tables.counts();
  const [own = 0, theirs = 0] = [indexed.get(sqlite), indexed.get(postgres)];
  console.log(`${chunks} parts indexed in PostgreSQL, one thread: ${theirs.toFixed(1)} s, ${times(theirs, own)}`);

  const here = await askedOf(createSearcher(await sqlite.tables()), asked);
  const there = await askedOf(createSearcher(tables), asked);
  console.log(
    `a question of a sentence to them: ${there.median.toFixed(1)} ms in the middle (${times(there.median, here.median)}), 95 % within ${there.slow.toFixed(1)} ms (${times(there.slow, here.slow)}; goal ${GOAL_MS} ms): ${verdict(there.slow <= GOAL_MS)}`,
  );

  const scan = await vectorsIn(sqlite);
  const inProcess = await vectorsIn(postgres);
  console.log(
    `the nearest of ${VECTORS} vectors of ${DIMENSIONS} numbers, PostgreSQL without pgvector: ${inProcess.next.toFixed(1)} ms (${times(inProcess.next, scan.next)}), the first time ${inProcess.first.toFixed(0)} ms`,
  );
  const full = must(await openPostgres({ url }));
  const own2 = full.index(root, INDEX_VERSION);
  const found = await server.sql(`SELECT default_version FROM pg_available_extensions WHERE name = 'vector'`);
  if (found === '') console.log('pgvector is not installed, so it was not measured');
  else {
    const withExtension = await vectorsIn({
      ...postgres,
      tables: async () => (await own2.tables()) as IndexTables,
    });
    console.log(
      `the same with pgvector ${found}: ${withExtension.next.toFixed(1)} ms (${times(withExtension.next, scan.next)})`,
    );
  }
  await full.close();
  await plain.close();
  database.close();
} finally {
  await server.remove();
  rmSync(folder, { recursive: true, force: true });
}
