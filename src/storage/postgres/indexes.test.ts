/** What only an index in a database can do and suffer. What every index does is in tests/conformance/indexes.test.ts. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { describePostgres, NO_PGVECTOR, POSTGRES_PROGRAMS, usePostgres } from '../../../tests/support/postgres.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import type { FileEntry, IndexStore } from '../../core/index-port.ts';
import type { Outcome } from '../../core/outcome.ts';
import { openPostgres, type PostgresStorage } from '../postgres.ts';

const postgres = usePostgres();
const run = promisify(execFile);
let databases = 0;
const must = <T>(outcome: Outcome<T>): T => {
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
};
const newDatabase = async (): Promise<{ name: string; url: string }> => {
  databases += 1;
  const name = `indexed_${databases}`;
  return { name, url: await postgres().url(name) };
};
const open = async (url: string): Promise<PostgresStorage> => {
  const storage = must(await openPostgres({ url }));
  onTestFinished(() => storage.close());
  return storage;
};
const fileOf = (path: string, hash: string, words: readonly string[]): FileEntry => ({
  facts: { path, size: 1, modifiedMs: 1, hash, language: 'prose', note: '' },
  pathWords: path,
  keys: [],
  symbols: [],
  references: [],
  imports: [],
  chunks: words.map((text, at) => ({ symbol: -1, lineStart: at + 1, lineEnd: at + 1, text, body: text, names: '' })),
});
const write = (store: IndexStore, ...entries: FileEntry[]) =>
  store.apply(entries.map((entry) => ({ type: 'write' as const, entry })));

describePostgres('an index in a database', () => {
  it('gives the texts that one process makes vectors of to no other one, and again where it did not', async () => {
    verifies('Z20', 'B12');
    const { name, url } = await newDatabase();
    const [one, other] = [await open(url), await open(url)];
    const [first, second] = [await one.index('/w', 1).store(), await other.index('/w', 1).store()];
    await write(first.store, fileOf('a.md', 'a', ['1', '2', '3', '4']));
    const taken = await Promise.all([first.store.pendingTexts('m', 2), second.store.pendingTexts('m', 2)]);
    expect(new Set(taken.flat().map(({ chunk }) => chunk)).size).toBe(4);
    expect(await second.store.pendingTexts('m', 2)).toEqual([]);
    await first.store.writeVectors(
      'm',
      taken[0].map(({ chunk }) => ({ chunk, vector: Float32Array.of(1, 0) })),
    );
    await postgres().sql(`UPDATE halter.index_vectors SET taken_until = now() - interval '1 second'`, name);
    const again = await first.store.pendingTexts('m', 9);
    expect(again.map(({ text }) => text)).toEqual(taken[1].map(({ text }) => text));
  });

  it('keeps those of another version apart, and removes them when nobody used them for long', async () => {
    const { name, url } = await newDatabase();
    const storage = await open(url);
    const old = await storage.index('/w', 1).store();
    await write(old.store, fileOf('a.md', 'a', ['old']));
    expect(await storage.index('/w', 2).tables()).toBeUndefined();
    await storage.index('/w', 2).store();
    expect(await (await storage.index('/w', 1).tables())?.paths()).toEqual(['a.md']);
    await postgres().sql(`UPDATE halter.indexes SET used_at = now() - interval '31 days'`, name);
    await storage.index('/w', 3).store();
    expect(await storage.index('/w', 1).tables()).toBeUndefined();
    expect(await postgres().sql('SELECT count(*) FROM halter.index_chunks', name)).toBe('0');
    await expect(write(old.store, fileOf('b.md', 'b', ['late']))).rejects.toThrow('was removed');
  });

  it('is made of the same bytes once, whoever writes them', async () => {
    const { name, url } = await newDatabase();
    const [one, other] = [await open(url), await open(url)];
    const [first, second] = [await one.index('/w', 1).store(), await other.index('/w', 1).store()];
    await write(first.store, fileOf('a.md', 'same', ['walrus']));
    const before = await postgres().sql('SELECT id FROM halter.index_chunks', name);
    await write(second.store, {
      ...fileOf('a.md', 'same', ['walrus']),
      facts: { ...fileOf('a.md', 'same', []).facts, size: 7 },
    });
    expect(await postgres().sql('SELECT id FROM halter.index_chunks', name)).toBe(before);
    expect(await second.store.knownFile('a.md')).toMatchObject({ size: 7 });
  });

  it.skipIf(NO_PGVECTOR !== undefined)(
    'finds the nearest vectors by pgvector where an administrator may make it, without it the same, and in a backup',
    async () => {
      verifies('Z20');
      const { name, url } = await newDatabase();
      await postgres().sql(`CREATE ROLE plain LOGIN; GRANT CREATE ON DATABASE ${name} TO plain`);
      const asPlain = await open(url.replace('//halter:', '//plain:'));
      const { store } = await asPlain.index('/w', 1).store();
      const words = Array.from({ length: 40 }, (_none, at) => `word${at}`);
      await write(store, fileOf('a.md', 'a', words));
      const texts = await store.pendingTexts('m', 100);
      await store.writeVectors(
        'm',
        texts.map(({ chunk }, at) => ({
          chunk,
          vector: Float32Array.of(Math.cos(at), Math.sin(at), at === 5 ? Number.NaN : 1),
        })),
      );
      const nearest = async (storage: PostgresStorage) =>
        (await (await storage.index('/w', 1).tables())?.nearest(Float32Array.of(0.3, 0.9, 0.5), 'm', 10))?.map(
          ({ id }) => id,
        );
      const installed = () => postgres().sql(`SELECT count(*) FROM pg_extension WHERE extname = 'vector'`, name);
      const without = await nearest(asPlain);
      expect(without).toHaveLength(10);
      expect(await installed()).toBe('0');
      const full = await open(url);
      expect(await nearest(full)).toEqual(without);
      expect(await installed()).toBe('1');
      const restored = async () => {
        const backup = path.join(scratchFolder(), 'backup');
        const to = (await newDatabase()).url;
        await run(path.join(POSTGRES_PROGRAMS, 'pg_dump'), ['--format=custom', `--file=${backup}`, url]);
        await run(path.join(POSTGRES_PROGRAMS, 'pg_restore'), [
          '--no-owner',
          '--exit-on-error',
          `--dbname=${to}`,
          backup,
        ]);
        return nearest(await open(to));
      };
      expect(await restored()).toEqual(without);
      await postgres().sql('DROP EXTENSION vector', name);
      expect(await nearest(full)).toEqual(without);
      expect(await restored()).toEqual(without);
    },
  );
});
