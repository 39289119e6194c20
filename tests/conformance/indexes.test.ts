/** What every index keeps to, whatever it is kept in: one table over node:sqlite and PostgreSQL, with pgvector and without. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { zipSync } from 'fflate';
import { beforeEach, describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { programFile } from '../../scripts/built-programs.ts';
import type { FileEntry, IndexStore, IndexTables, OpenSharedIndex } from '../../src/core/index-port.ts';
import { failure, type Outcome, succeed } from '../../src/core/outcome.ts';
import type { Embedder, IndexReport, SearchHit } from '../../src/core/retrieval-port.ts';
import { createWorkspace } from '../../src/io/workspace.ts';
import { openForReading, openIndex } from '../../src/search/database.ts';
import { Graph } from '../../src/search/graph.ts';
import { indexFile } from '../../src/search/index-file.ts';
import { Indexer } from '../../src/search/indexer.ts';
import { openRetrieval } from '../../src/search/open-retrieval.ts';
import { INDEX_VERSION } from '../../src/search/schema.ts';
import { createSearcher, type SearchInput } from '../../src/search/search.ts';
import { SqliteStore } from '../../src/search/sqlite-store.ts';
import { createSqliteTables } from '../../src/search/sqlite-tables.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { verifies } from '../requirements.ts';
import { inTurn, rounds, turns } from '../support/long.ts';
import { NO_PGVECTOR, NO_POSTGRES, usePostgres } from '../support/postgres.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

const postgres = usePostgres();
let databases = 0;
const must = <T>(outcome: Outcome<T>): T => {
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
};

/** A place for indexes, which any number of processes may open. `url`: that of its database. */
type Place = { dataFolder: string; url?: string; open(): Promise<OpenSharedIndex | undefined> };

const inPostgres = async (context: TestContext, withVectors: boolean): Promise<Place> => {
  if (NO_POSTGRES !== undefined) context.skip(NO_POSTGRES);
  databases += 1;
  const name = `index_${databases}`;
  const administrator = await postgres().url(name);
  // Only an administrator may make this extension.
  const user = withVectors ? 'halter' : 'ordinary';
  if (!withVectors) {
    await postgres().sql(
      `DO $$ BEGIN CREATE ROLE ordinary LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
       GRANT CREATE ON DATABASE ${name} TO ordinary`,
    );
  }
  const url = administrator.replace('//halter:', `//${user}:`);
  return {
    dataFolder: scratchFolder(),
    url,
    async open() {
      const storage = must(await openPostgres({ url }));
      onTestFinished(() => storage.close());
      return storage.index;
    },
  };
};
const PLACES: [string, (context: TestContext) => Promise<Place>][] = [
  ['node:sqlite', async () => ({ dataFolder: scratchFolder(), open: async () => undefined })],
  ['PostgreSQL', (context) => inPostgres(context, false)],
];
if (NO_PGVECTOR === undefined) PLACES.push(['PostgreSQL with pgvector', (context) => inPostgres(context, true)]);
else it.skip(`PostgreSQL with pgvector (${NO_PGVECTOR})`, () => {});

/** The index of a folder, opened once more, as another process would. */
const openStore = async (
  place: Place,
  root: string,
): Promise<{ store: IndexStore; tables(): Promise<IndexTables> }> => {
  const shared = (await place.open())?.(root, INDEX_VERSION);
  if (shared !== undefined) {
    const tables = async () => {
      const found = await shared.tables();
      if (found === undefined) throw new Error('there is no index');
      return found;
    };
    return { store: (await shared.store()).store, tables };
  }
  const file = indexFile(place.dataFolder, root);
  const { database } = openIndex(file);
  onTestFinished(() => database.close());
  const reading = openForReading(file);
  if (reading === undefined) throw new Error('the index cannot be read');
  onTestFinished(() => reading.close());
  return { store: new SqliteStore(database), tables: async () => createSqliteTables(reading) };
};

/** A file of these lines, each a part. */
const entryOf = (file: string, hash: string, lines: readonly string[]): FileEntry => ({
  facts: { path: file, size: 1, modifiedMs: 1, hash, language: 'prose', note: '' },
  pathWords: file,
  keys: ['a'],
  symbols: [],
  references: [],
  imports: [],
  chunks: lines.map((text, at) => ({ symbol: -1, lineStart: at + 1, lineEnd: at + 1, text, body: text, names: '' })),
});

/** Usually each row is played in one of the places, in turn. */
describe.each(PLACES.map(([name, open], at) => [name, open, at] as const))('%s:', (_name, openPlace, at) => {
  let place: Place;
  const isTurn = turns(at, PLACES.length);
  const row = (name: string, run: () => Promise<void>): void => {
    if (isTurn()) it(name, run);
  };
  beforeEach(async (context) => {
    place = await openPlace(context);
  });

  const openIndexer = async (root: string) => {
    const workspace = must(await createWorkspace({ root }));
    const { store, tables } = await openStore(place, root);
    // Files are old to it, so that a file is told by its time and not read again.
    return { indexer: new Indexer({ store, workspace, now: () => Date.now() + 60_000 }), tables };
  };
  const made = async (files: Record<string, string | Uint8Array>) => {
    const root = scratchFolder();
    putFiles(root, files);
    const { indexer, tables } = await openIndexer(fs.realpathSync(root));
    const find = async (query: string, options: SearchInput): Promise<SearchHit[]> =>
      createSearcher(await tables()).search(query, options);
    return {
      root,
      indexer,
      tables,
      find,
      whole: async (): Promise<IndexReport> => must(await indexer.all()),
      paths: async (query: string) => (await find(query, { limit: 10 })).map((hit) => hit.path),
    };
  };

  describe('an index', () => {
    row('finds identifiers by their words, prose by its headings, and says where', async () => {
      verifies('Z20', 'E2');
      const { find, whole } = await made({
        'src/tokens.ts':
          '/** Guesses. */\nexport function estimateTokenCount(text: string) {\n  return text.length / 4;\n}\n',
        'docs/guide.md': '# Guide\n\nHello.\n\n## Installing the frobnicator\n\nTurn the key.\n',
        'src/other.ts': 'export const nothing = 1;\n',
      });
      await whole();
      const [hit] = await find('estimating the count of tokens', { limit: 3 });
      expect(hit).toMatchObject({ path: 'src/tokens.ts', symbol: 'estimateTokenCount', line_start: 1, line_end: 4 });
      const [guide] = await find('how is a frobnicator installed', { limit: 3 });
      expect(guide).toMatchObject({ path: 'docs/guide.md', line_start: 5 });
      expect(await find('tokens', { limit: 3, paths: ['docs/guide.md'] })).toEqual([]);
      expect(await find('the of and', { limit: 3 })).toEqual([]);
    });

    row('finds a name by other words and by its short form, and a call by what is called', async () => {
      verifies('Z20');
      const { find, whole } = await made({
        'src/a.ts': [
          'export function getCfg(where: string) {\n  return JSON.parse(where);\n}',
          'export function dropDoc(which: number) {\n  return which + 1;\n}',
          'export function paintWalls(n: number) {\n  return mixColour(n) * 2;\n}',
          'export function mixColour(n: number) {\n  return n - 1;\n}',
        ].join('\n'),
      });
      await whole();
      const first = async (query: string) => (await find(query, { limit: 4 }))[0]?.symbol;
      expect(await first('Retrieves and parses the configuration')).toBe('getCfg');
      expect(await first('Removes the document of a number')).toBe('dropDoc');
      const [, ...others] = await find('paint the walls', { limit: 4 });
      expect(others).toContainEqual(expect.objectContaining({ symbol: 'mixColour', found_by: ['graph'] }));
    });

    row('finds in a small folder what has no word of the question, and nothing where nothing is meant', async () => {
      verifies('Z20');
      const { find, whole } = await made({
        'src/a.ts': [
          'export function deleteAll(list: string[]) {\n  list.length = 0;\n}',
          'export function closeSocket(socket: { end(): void }) {\n  socket.end();\n}',
        ].join('\n'),
        'src/b.ts': 'export function shutdown(server: { stop(): void }) {\n  server.stop();\n}',
      });
      await whole();
      const found = (query: string) => find(query, { limit: 4 });
      expect(await found('removes everything')).toMatchObject([{ symbol: 'deleteAll', found_by: ['meaning'] }]);
      expect((await found('shut down'))[0]).toMatchObject({ symbol: 'shutdown', found_by: ['words', 'name'] });
      expect(await found('quantum chromodynamics')).toEqual([]);
      expect(await find('removes everything', { limit: 4, paths: ['src/b.ts'] })).toEqual([]);
    });

    row('gives a function once, however many pieces it has', async () => {
      verifies('Z20');
      const long = Array.from({ length: 300 }, (_none, at) => `  total += measureWidth(${at});`).join('\n');
      const { find, whole } = await made({
        'a.ts': `export function sumWidths() {\n  let total = 0;\n${long}\n  return total;\n}`,
      });
      await whole();
      expect(await find('measure the width', { limit: 5 })).toHaveLength(1);
    });

    row('puts first, of two that say the same, what was spoken of or changed lately', async () => {
      verifies('Z20');
      const text = 'export function countWalruses(herd: string[]) {\n  return herd.length;\n}\n';
      const { root, find, whole } = await made({ 'a.ts': text, 'b.ts': text, 'c.ts': text });
      const now = Date.now();
      const yearAgo = new Date(now - 365 * 24 * 3_600_000);
      for (const name of ['a.ts', 'b.ts']) fs.utimesSync(path.join(root, name), yearAgo, yearAgo);
      await whole();
      const first = async (options: { recent?: string[]; now?: number }) =>
        (await find('counts the walruses', { limit: 1, ...options }))[0]?.path;
      expect(await first({})).toBe('a.ts');
      expect(await first({ now })).toBe('c.ts');
      expect(await first({ recent: ['b.ts'] })).toBe('b.ts');
    });

    row('leaves out what is ignored, secret, binary or made by a machine', async () => {
      const { root, paths, whole } = await made({
        '.gitignore': 'made/\n',
        '.halterignore': 'private.md\n',
        'made/a.ts': 'export const marmalade = 1;\n',
        'private.md': 'marmalade\n',
        '.env': 'MARMALADE=1\n',
        'server.pem': 'marmalade\n',
        'pip.conf': 'password = marmalade\n',
        'packed.js': `var marmalade=1;${'x'.repeat(20_000)}`,
        'a.bin': new Uint8Array([109, 97, 0, 1]),
        'old.txt': new Uint8Array([0x63, 0x61, 0x66, 0xe9]),
        'kept.md': 'marmalade\n',
        // A paragraph a line, as word processors write it.
        'prose.md': `The marmalade was made of oranges, sugar and patience. ${'It stood on the shelf for a long winter. '.repeat(150)}\n`,
        'packed.json': JSON.stringify(Array.from({ length: 900 }, (_, index) => ({ marmalade: index, ok: true }))),
      });
      fs.writeFileSync(
        Buffer.concat([Buffer.from(`${root}/bad`), Buffer.from([0xff]), Buffer.from('.md')]),
        'marmalade\n',
      );
      const report = await whole();
      expect(await paths('marmalade')).toEqual(['kept.md', 'prose.md']);
      expect(Object.fromEntries(report.skipped.map(({ path: skipped, reason }) => [skipped, reason]))).toEqual({
        'a.bin': 'binary',
        'pip.conf': 'holds a key in password',
        'packed.js': 'made by a machine: its lines are too long',
        'packed.json': 'made by a machine: its lines are too long',
        'old.txt': 'not UTF-8',
        'bad\\xff.md': 'its name is not UTF-8',
      });
    });

    row('reads again only what changed, and forgets what went away', async () => {
      const { root, paths, whole } = await made({ 'a.md': 'apples\n', 'b.md': 'bananas\n', 'c.md': 'cherries\n' });
      const old = new Date(Date.now() - 3_600_000);
      for (const name of ['a.md', 'b.md', 'c.md']) fs.utimesSync(path.join(root, name), old, old);
      expect(await whole()).toMatchObject({ files: 3, indexed: 3, unchanged: 0 });
      expect(await whole()).toMatchObject({ indexed: 0, unchanged: 3 });
      putFiles(root, { 'a.md': 'apricots\n' });
      fs.rmSync(path.join(root, 'b.md'));
      // Another time on the same bytes is no change.
      fs.utimesSync(path.join(root, 'c.md'), new Date(), new Date());
      expect(await whole()).toMatchObject({ files: 2, indexed: 1, removed: 1, unchanged: 1 });
      expect(await paths('apples bananas')).toEqual([]);
      expect(await paths('apricot')).toEqual(['a.md']);
    });

    row('takes single files, whether they are new, changed or gone', async () => {
      const { root, paths, indexer } = await made({ 'a.md': 'apples\n' });
      expect(await indexer.some(['a.md', 'never.md'])).toMatchObject({ value: { indexed: 1, removed: 0 } });
      fs.rmSync(path.join(root, 'a.md'));
      expect(await indexer.some(['a.md'])).toMatchObject({ value: { removed: 1 } });
      expect(await paths('apples')).toEqual([]);
    });

    row('can be stopped, and goes on from there', async () => {
      const { indexer, whole } = await made(
        Object.fromEntries(Array.from({ length: 20 }, (_none, at) => [`${at}.md`, `word${at}\n`])),
      );
      const controller = new AbortController();
      const stopped = await indexer.all({
        signal: controller.signal,
        onProgress: ({ done }) => void (done === 5 && controller.abort()),
      });
      expect(stopped).toMatchObject({ value: { cancelled: true, indexed: 5 } });
      expect(await whole()).toMatchObject({ cancelled: false, indexed: 15, unchanged: 5 });
    });

    row('holds the text of Office files, and of a PDF page by page', async () => {
      const xml =
        '<w:document><w:p><w:pStyle w:val="Heading1"/><w:t>Budget &amp; plan</w:t></w:p><w:p><w:t>The walrus pays.</w:t></w:p></w:document>';
      const { paths, whole } = await made({
        'plan.docx': zipSync({ 'word/document.xml': Buffer.from(xml) }),
        'paper.pdf': pdfOf('The narwhal sings'),
        'broken.pdf': '%PDF-1.4 and then nothing',
      });
      const report = await whole();
      expect(await paths('which walrus pays the budget')).toEqual(['plan.docx']);
      expect(await paths('narwhal')).toEqual(['paper.pdf']);
      expect(report.skipped).toMatchObject([{ path: 'broken.pdf' }]);
    });

    row('two that write at once do no harm to each other', async () => {
      verifies('Z20', 'B12');
      const { root, tables, indexer } = await made(
        Object.fromEntries(
          Array.from({ length: 60 }, (_none, at) => [`${at}.ts`, `export const word${at} = () => shared(${at});\n`]),
        ),
      );
      const others = await Promise.all([openIndexer(root), openIndexer(root)]);
      const reports = await Promise.all([indexer, ...others.map((other) => other.indexer)].map((each) => each.all()));
      expect(reports.map(({ ok }) => ok)).toEqual([true, true, true]);
      expect(await (await tables()).counts()).toMatchObject({ files: 60, chunks: 60, symbols: 60 });
      expect(must(await indexer.all())).toMatchObject({ indexed: 0, unchanged: 60 });
    });

    row('takes any text, and finds words of any script, with accents or without', async () => {
      const { root, tables, paths, whole } = await made({
        'a.md': "Straße, cafés & naïveté: it's 'quoted' \\ \"so\" | !not (x:*) <-> y\n",
        'b.md': 'Ёлка и щука\n',
        'c.md': '東京 の 駅\n',
        "o'dd name.md": 'grüße\n',
      });
      await whole();
      expect(await paths('cafe')).toEqual(['a.md']);
      expect(await paths("it's quoted")).toEqual(['a.md']);
      expect(await paths('щука')).toEqual(['b.md']);
      expect(await paths('東京')).toEqual(['c.md']);
      expect(await paths("grüße o'dd \\ ' | & !")).toEqual(["o'dd name.md"]);
      const { store } = await openStore(place, root);
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), async (text) => {
          await store.apply([{ type: 'write', entry: entryOf('any.txt', fc.stringify(text), [text]) }]);
          const [part] = await (await tables()).textOf('any.txt');
          expect(part?.text.length).toBe(text.length);
          await createSearcher(await tables()).search(text, { limit: 3 });
        }),
        { numRuns: rounds(20, 500) },
      );
    });

    row('finds words of scripts that put no blanks between them', async () => {
      verifies('Z20');
      const { paths, whole } = await made({
        'heating.md': '# 暖气说明\n\n水泵坏了的时候，请打电话给王师傅。\n\n## 阀门\n阀门的钥匙在厨房的抽屉里。\n',
        'bath.md': '# 浴室\n\n浴室のタイルは青い。水道の鍵は台所にあります。\n',
        'cellar.md': '보일러 열쇠는 지하실에 있습니다.\n',
        'garden.md': 'กุญแจโรงเก็บของอยู่ในครัว\n',
        'other.md': 'The key of the shed hangs in the kitchen.\n',
      });
      await whole();
      for (const [query, path] of [
        ['钥匙', 'heating.md'],
        ['阀门的钥匙在哪里', 'heating.md'],
        ['水泵坏了', 'heating.md'],
        ['王', 'heating.md'],
        ['タイル', 'bath.md'],
        ['水道の鍵はどこですか', 'bath.md'],
        ['열쇠', 'cellar.md'],
        ['กุญแจ', 'garden.md'],
        ['key of the shed', 'other.md'],
      ] as const)
        expect((await paths(query))[0], query).toBe(path);
    });

    row('changes that two make of the same file leave one of them whole', async () => {
      const { root, tables } = await made({});
      const [one, other] = await Promise.all([openStore(place, root), openStore(place, root)]);
      const write = (store: IndexStore, word: string) =>
        store.apply([
          {
            type: 'write',
            entry: entryOf(
              'a.md',
              word,
              [1, 2, 3].map((line) => `${word} ${line}`),
            ),
          },
        ]);
      for (let round = 0; round < 10; round += 1) {
        await Promise.all([write(one.store, `one${round}`), write(other.store, `other${round}`)]);
        const texts = (await (await tables()).textOf('a.md')).map(({ text }) => text.split(' ')[0]);
        expect(texts).toHaveLength(3);
        expect(new Set(texts).size).toBe(1);
      }
    });
  });

  describe('the graph', () => {
    const files = {
      'src/animal.ts':
        'export class Animal {\n  speak() { return make(1); }\n}\nexport const make = (n: number) => n;\n',
      'src/index.ts': "export { Animal as Beast, make } from './animal.ts';\n",
      'src/dog.ts':
        "import { Beast } from './index.ts';\nexport class Dog extends Beast {\n  run() { return this.speak(); }\n}\n",
      'src/use.ts': "import { make as build } from './animal.ts';\nexport const use = () => build(2);\n",
      'src/apart.ts': 'const make = () => 3;\nexport const own = () => make();\n',
      'lib/util.py': 'def make(n):\n    return n\n',
    };
    const asked = async (question: Parameters<Graph['ask']>[0]) => {
      const { tables, whole } = await made(files);
      await whole();
      const answer = await new Graph(await tables()).ask(question);
      if (!answer.ok) return answer.error;
      return answer.value.rows.map(({ name, path: place, certainty }) =>
        `${name} ${place ?? ''} ${certainty ?? ''}`.trim(),
      );
    };
    const limit = 20;

    row('tells who calls a function, under other names too, and not who calls its namesake', async () => {
      verifies('Z20');
      expect(await asked({ relation: 'called_by', symbol: 'make', path: 'src/animal.ts', limit })).toEqual([
        'Animal.speak src/animal.ts certain',
        'use src/use.ts certain',
      ]);
      expect(await asked({ relation: 'called_by', symbol: 'make', path: 'src/apart.ts', limit })).toEqual([
        'own src/apart.ts certain',
      ]);
    });

    row('follows files that hand others on', async () => {
      expect(await asked({ relation: 'references', symbol: 'Animal', limit })).toContain('Dog src/dog.ts certain');
      expect(await asked({ relation: 'calls', symbol: 'Dog.run', limit })).toEqual([
        'Animal.speak src/animal.ts likely',
      ]);
    });

    const QUESTIONS = [
      [
        'defines',
        { path: 'src/animal.ts' },
        ['Animal src/animal.ts', 'Animal.speak src/animal.ts', 'make src/animal.ts'],
      ],
      ['contains', { symbol: 'Animal' }, ['Animal.speak src/animal.ts']],
      ['contains', { path: 'src/animal.ts' }, ['Animal src/animal.ts', 'make src/animal.ts']],
      ['imports', { path: 'src/dog.ts' }, ['./index.ts src/index.ts certain']],
      [
        'imported_by',
        { path: 'src/animal.ts' },
        ['./animal.ts src/index.ts certain', './animal.ts src/use.ts certain'],
      ],
    ] as const;
    it.each(inTurn(QUESTIONS, at, PLACES.length))('answers %s of %j', async (relation, about, rows) => {
      expect(await asked({ relation, limit, ...about })).toEqual(rows);
    });

    row('says what it does not know', async () => {
      expect(await asked({ relation: 'calls', symbol: 'nobody', limit })).toMatchObject({ error_type: 'not_found' });
      expect(await asked({ relation: 'calls', path: 'nowhere.ts', limit })).toMatchObject({ error_type: 'not_found' });
      expect(await asked({ relation: 'calls', limit })).toMatchObject({ error_type: 'validation_failed' });
    });
  });

  describe('vectors', () => {
    /** Knows two meanings, whatever the words: animals that swim, and money. */
    const MEANINGS = [/whale|sea|swim/i, /bill|money|pay/i];
    const embedder = (model: string, asked: string[][] = []): Embedder => ({
      model,
      async embed(texts) {
        asked.push([...texts]);
        return succeed(
          texts.map((text) => Float32Array.from([...MEANINGS.map((meaning) => (meaning.test(text) ? 5 : 0)), 0.1])),
        );
      },
    });
    const opened = async () => {
      const root = scratchFolder();
      putFiles(root, { 'a.md': '# One\n\nThe whale.\n', 'b.md': '# Two\n\nA bill comes.\n' });
      const workspace = must(await createWorkspace({ root }));
      const shared = await place.open();
      const open = (by?: Embedder) => {
        const service = openRetrieval({
          dataFolder: place.dataFolder,
          workspace,
          shared,
          ...(by ? { embedder: by } : {}),
        });
        onTestFinished(() => service.close());
        return service;
      };
      return { root, open };
    };

    row('find what is meant where no word is shared, are made once, and go with their text', async () => {
      verifies('Z20', 'Z13');
      const asked: string[][] = [];
      const { root, open } = await opened();
      const service = open(embedder('m', asked));
      await service.index();
      expect(await service.vectors.coverage()).toEqual({ model: 'm', vectors: 2, chunks: 2 });
      expect(await service.search('who can swim', { limit: 1 })).toMatchObject({
        value: [{ path: 'a.md', found_by: ['vector'] }],
      });
      const before = asked.length;
      await service.index();
      expect(asked.length).toBe(before);
      putFiles(root, { 'a.md': '# One\n\nThe hills.\n', 'c.md': '# Three\n\nAll at sea.\n' });
      await service.index();
      const found = must(await service.search('who can swim', { limit: 2 }));
      expect(found[0]).toMatchObject({ path: 'c.md', found_by: ['vector'] });
      expect(await service.vectors.coverage()).toEqual({ model: 'm', vectors: 3, chunks: 3 });
    });

    row('of another model replace the first ones, also of another length', async () => {
      const { open } = await opened();
      await open(embedder('m')).index();
      const longer: Embedder = {
        model: 'n',
        embed: async (texts) =>
          succeed(texts.map((text) => Float32Array.from([/whale|swim/i.test(text) ? 1 : 0, 0.2, 0.2, 0.2, 0.2]))),
      };
      const other = open(longer);
      await other.index();
      expect(await other.vectors.coverage()).toEqual({ model: 'n', vectors: 2, chunks: 2 });
      expect(await other.search('who can swim', { limit: 1 })).toMatchObject({ value: [{ path: 'a.md' }] });
    });

    row('that are nearest are found whatever order they are kept in', async () => {
      verifies('Z20');
      const root = scratchFolder();
      const { store, tables } = await openStore(place, root);
      const lines = Array.from({ length: 100 }, (_none, at) => `word${at}`);
      await store.apply([{ type: 'write', entry: entryOf('a.md', 'a', lines) }]);
      const texts = await store.pendingTexts('m', 200);
      const angles = new Map(texts.map(({ chunk }, at) => [chunk, (at * 37) % 100]));
      const vectorAt = (angle: number) => Float32Array.of(Math.cos(angle / 100), Math.sin(angle / 100));
      await store.writeVectors(
        'm',
        [...angles].map(([chunk, angle]) => ({ chunk, vector: vectorAt(angle) })),
      );
      for (const limit of [1, 3, 10, 40]) {
        const found = await (await tables()).nearest(vectorAt(-1), 'm', limit);
        expect(found.map(({ id }) => angles.get(id))).toEqual(Array.from({ length: limit }, (_none, at) => at));
      }
    });

    row('that cannot be made leave the search as it is without them, and that is reported', async () => {
      const silent: Embedder = { model: 'm', embed: async () => failure('io_error', 'nobody answers') };
      const { open } = await opened();
      const service = open(silent);
      expect(await service.index()).toMatchObject({
        value: { indexed: 2, warnings: ['There are no vectors for now: nobody answers'] },
      });
      expect(await service.search('whale', { limit: 1 })).toMatchObject({
        value: [{ path: 'a.md', found_by: ['words'] }],
      });
    });
  });

  describe('a program', () => {
    const service = async (root: string) => {
      const workspace = must(await createWorkspace({ root }));
      const opened = openRetrieval({ dataFolder: place.dataFolder, workspace, shared: await place.open() });
      onTestFinished(() => opened.close());
      return opened;
    };

    row('reads what another one indexed, and hears of what that one changed', async () => {
      verifies('Z20', 'B12');
      const root = scratchFolder();
      putFiles(root, { 'a.ts': 'export const walrus = () => pay(1);\n' });
      const [first, second] = [await service(root), await service(root)];
      expect(await second.exists()).toBe(false);
      expect(await second.search('walrus', { limit: 1 })).toMatchObject({ error: { reason: 'no_index' } });
      must(await first.index());
      expect(await second.exists()).toBe(true);
      expect(await second.status()).toMatchObject({ exists: true, files: 1, chunks: 1, symbols: 1 });
      expect(await second.search('walrus', { limit: 1 })).toMatchObject({ value: [{ path: 'a.ts' }] });
      putFiles(root, { 'b.ts': "import { walrus } from './a.ts';\nexport const narwhal = () => walrus();\n" });
      must(await first.index());
      expect(await second.graph.ask({ relation: 'called_by', symbol: 'walrus', limit: 5 })).toMatchObject({
        value: { rows: [{ name: 'narwhal', path: 'b.ts' }] },
      });
      expect(await second.knows(['a.ts', 'b.ts'])).toBe(true);
      expect(await second.knows(['a.ts', 'c.ts'])).toBe(false);
    });

    row('finds in its folder nothing of another one', async () => {
      const [one, other] = [scratchFolder(), scratchFolder()];
      putFiles(one, { 'a.md': 'walrus\n' });
      putFiles(other, { 'b.md': 'walrus\n', 'c.md': 'narwhal\n' });
      const [first, second] = [await service(one), await service(other)];
      must(await first.index());
      must(await second.index());
      const found = async (from: typeof first, query: string) =>
        must(await from.search(query, { limit: 5 })).map(({ path: file }) => file);
      expect(await found(first, 'walrus')).toEqual(['a.md']);
      expect(await found(first, 'narwhal')).toEqual([]);
      expect(await found(second, 'walrus')).toEqual(['b.md']);
    });

    row('that is killed in the middle leaves only whole files, and the next one goes on', async () => {
      verifies('Z20');
      const root = scratchFolder();
      const text = (at: number) =>
        Array.from({ length: 40 }, (_none, row) => `export function part${at}x${row}() {\n  return ${row};\n}\n`).join(
          '\n',
        );
      putFiles(root, Object.fromEntries(Array.from({ length: 200 }, (_none, at) => [`f${at}.ts`, text(at)])));
      const modules = (name: string) => JSON.stringify(programFile(new URL(`../../src/${name}`, import.meta.url)));
      const script = `
        const { createWorkspace } = await import(${modules('io/workspace.ts')});
        const { openRetrieval } = await import(${modules('search/open-retrieval.ts')});
        const { openPostgres } = await import(${modules('storage/postgres.ts')});
        const url = process.env.DATABASE;
        const shared = url ? (await openPostgres({ url })).value.index : undefined;
        const workspace = (await createWorkspace({ root: process.env.ROOT })).value;
        const service = openRetrieval({ dataFolder: process.env.DATA, workspace, shared });
        const done = await service.index({ onProgress: ({ done }) => process.stdout.write('.') });
        if (!done.ok) throw new Error(done.error.message);`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        env: { ...process.env, ROOT: root, DATA: place.dataFolder, DATABASE: place.url ?? '' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const closed = new Promise((resolve) => child.once('close', resolve));
      const second = await service(root);
      const files = async () => (await second.status()).files;
      child.stdout.resume();
      while ((await files()) === 0 && child.exitCode === null) await new Promise((next) => setTimeout(next, 5));
      child.kill('SIGKILL');
      await closed;
      const held = must(await second.contents());
      expect(held.filter(({ chunks }) => chunks !== 40)).toEqual([]);
      const { chunks, symbols } = await second.status();
      expect([chunks, symbols]).toEqual([held.length * 40, held.length * 40]);
      const done = must(await second.index());
      expect(done.indexed + done.unchanged).toBe(200);
      expect(await second.status()).toMatchObject({ files: 200, chunks: 8_000, symbols: 8_000 });
    });
  });
});

/** The smallest PDF with one line of text. */
const pdfOf = (text: string): string => {
  const stream = `BT /F1 24 Tf 72 700 Td (${text}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = body.length;
    body += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  return `${body}xref\n0 6\n0000000000 65535 f \n${table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
};
