/** The index of a folder: what is in it, how it is kept up to date, and what damage does to it. */
import fs from 'node:fs';
import path from 'node:path';
import { zipSync } from 'fflate';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import type { IndexReport } from '../core/retrieval-port.ts';
import { createWorkspace } from '../io/workspace.ts';
import { openForReading, openIndex, problemOf } from './database.ts';
import { Graph } from './graph.ts';
import { Indexer } from './indexer.ts';
import { createSearcher } from './search.ts';

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
  const indexer = new Indexer({ database, workspace: workspace.value, now: () => Date.now() + 60_000 });
  const whole = async (): Promise<IndexReport> => {
    const done = await indexer.all();
    if (!done.ok) throw new Error(done.error.message);
    return done.value;
  };
  return { root, file, database, notes, indexer, whole, close };
};

const pathsFound = (database: Parameters<typeof createSearcher>[0], query: string): string[] =>
  createSearcher(database)
    .search(query, { limit: 10 })
    .map((hit) => hit.path);

describe('an index', () => {
  it('finds identifiers by their words, prose by its headings, and says where', async () => {
    verifies('Z20', 'E2');
    const { database, whole } = await world({
      'src/tokens.ts':
        '/** Guesses. */\nexport function estimateTokenCount(text: string) {\n  return text.length / 4;\n}\n',
      'docs/guide.md': '# Guide\n\nHello.\n\n## Installing the frobnicator\n\nTurn the key.\n',
      'src/other.ts': 'export const nothing = 1;\n',
    });
    await whole();
    const [hit] = createSearcher(database).search('estimating the count of tokens', { limit: 3 });
    expect(hit).toMatchObject({ path: 'src/tokens.ts', symbol: 'estimateTokenCount', line_start: 1, line_end: 4 });
    const [guide] = createSearcher(database).search('how is a frobnicator installed', { limit: 3 });
    expect(guide).toMatchObject({ path: 'docs/guide.md', line_start: 5 });
    expect(createSearcher(database).search('tokens', { limit: 3, paths: ['docs/guide.md'] })).toEqual([]);
    expect(createSearcher(database).search('the of and', { limit: 3 })).toEqual([]);
  });

  it('finds a name by other words and by its short form, and a call by what is called', async () => {
    verifies('Z20');
    const { database, whole } = await world({
      'src/a.ts': [
        'export function getCfg(where: string) {\n  return JSON.parse(where);\n}',
        'export function dropDoc(which: number) {\n  return which + 1;\n}',
        'export function paintWalls(n: number) {\n  return mixColour(n) * 2;\n}',
        'export function mixColour(n: number) {\n  return n - 1;\n}',
      ].join('\n'),
    });
    await whole();
    const first = (query: string) => createSearcher(database).search(query, { limit: 4 })[0]?.symbol;
    expect(first('Retrieves and parses the configuration')).toBe('getCfg');
    expect(first('Removes the document of a number')).toBe('dropDoc');
    const [, ...others] = createSearcher(database).search('paint the walls', { limit: 4 });
    expect(others).toContainEqual(expect.objectContaining({ symbol: 'mixColour', found_by: ['graph'] }));
  });

  it('finds in a small folder what has no word of the question, and nothing where nothing is meant', async () => {
    verifies('Z20');
    const { database, whole } = await world({
      'src/a.ts': [
        'export function deleteAll(list: string[]) {\n  list.length = 0;\n}',
        'export function closeSocket(socket: { end(): void }) {\n  socket.end();\n}',
      ].join('\n'),
      'src/b.ts': 'export function shutdown(server: { stop(): void }) {\n  server.stop();\n}',
    });
    await whole();
    const found = (query: string) => createSearcher(database).search(query, { limit: 4 });
    expect(found('removes everything')).toMatchObject([{ symbol: 'deleteAll', found_by: ['meaning'] }]);
    expect(found('shut down')[0]).toMatchObject({ symbol: 'shutdown', found_by: ['words', 'name'] });
    expect(found('quantum chromodynamics')).toEqual([]);
    expect(createSearcher(database).search('removes everything', { limit: 4, paths: ['src/b.ts'] })).toEqual([]);
  });

  it('gives a function once, however many pieces it has', async () => {
    verifies('Z20');
    const long = Array.from({ length: 300 }, (_none, at) => `  total += measureWidth(${at});`).join('\n');
    const { database, whole } = await world({
      'a.ts': `export function sumWidths() {\n  let total = 0;\n${long}\n  return total;\n}`,
    });
    await whole();
    expect(createSearcher(database).search('measure the width', { limit: 5 })).toHaveLength(1);
  });

  it('puts first, of two that say the same, what was spoken of or changed lately', async () => {
    verifies('Z20');
    const text = 'export function countWalruses(herd: string[]) {\n  return herd.length;\n}\n';
    const { root, database, whole } = await world({ 'a.ts': text, 'b.ts': text, 'c.ts': text });
    const now = Date.now();
    const yearAgo = new Date(now - 365 * 24 * 3_600_000);
    for (const name of ['a.ts', 'b.ts']) fs.utimesSync(path.join(root, name), yearAgo, yearAgo);
    await whole();
    const first = (options: { recent?: string[]; now?: number }): string | undefined =>
      createSearcher(database).search('counts the walruses', { limit: 1, ...options })[0]?.path;
    expect(first({})).toBe('a.ts');
    expect(first({ now })).toBe('c.ts');
    expect(first({ recent: ['b.ts'] })).toBe('b.ts');
  });

  it('leaves out what is ignored, secret, binary or made by a machine', async () => {
    const { root, database, whole } = await world({
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
    expect(pathsFound(database, 'marmalade')).toEqual(['kept.md', 'prose.md']);
    expect(Object.fromEntries(report.skipped.map(({ path: skipped, reason }) => [skipped, reason]))).toEqual({
      'a.bin': 'binary',
      'pip.conf': 'holds a key in password',
      'packed.js': 'made by a machine: its lines are too long',
      'packed.json': 'made by a machine: its lines are too long',
      'old.txt': 'not UTF-8',
      'bad\ufffd.md': 'its name is not UTF-8',
    });
  });

  it('reads again only what changed, and forgets what went away', async () => {
    const { root, database, whole } = await world({ 'a.md': 'apples\n', 'b.md': 'bananas\n', 'c.md': 'cherries\n' });
    const old = new Date(Date.now() - 3_600_000);
    for (const name of ['a.md', 'b.md', 'c.md']) fs.utimesSync(path.join(root, name), old, old);
    expect(await whole()).toMatchObject({ files: 3, indexed: 3, unchanged: 0 });
    expect(await whole()).toMatchObject({ indexed: 0, unchanged: 3 });
    putFiles(root, { 'a.md': 'apricots\n' });
    fs.rmSync(path.join(root, 'b.md'));
    // Another time on the same bytes is no change.
    fs.utimesSync(path.join(root, 'c.md'), new Date(), new Date());
    expect(await whole()).toMatchObject({ files: 2, indexed: 1, removed: 1, unchanged: 1 });
    expect(pathsFound(database, 'apples bananas')).toEqual([]);
    expect(pathsFound(database, 'apricot')).toEqual(['a.md']);
  });

  it('takes single files, whether they are new, changed or gone', async () => {
    const { root, database, indexer } = await world({ 'a.md': 'apples\n' });
    expect(await indexer.some(['a.md', 'never.md'])).toMatchObject({ value: { indexed: 1, removed: 0 } });
    fs.rmSync(path.join(root, 'a.md'));
    expect(await indexer.some(['a.md'])).toMatchObject({ value: { removed: 1 } });
    expect(pathsFound(database, 'apples')).toEqual([]);
  });

  it('can be stopped, and goes on from there', async () => {
    const { indexer, whole } = await world(
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

  it('holds the text of Office files, and of a PDF page by page', async () => {
    const xml =
      '<w:document><w:p><w:pStyle w:val="Heading1"/><w:t>Budget &amp; plan</w:t></w:p><w:p><w:t>The walrus pays.</w:t></w:p></w:document>';
    const { database, whole } = await world({
      'plan.docx': zipSync({ 'word/document.xml': Buffer.from(xml) }),
      'paper.pdf': pdfOf('The narwhal sings'),
      'broken.pdf': '%PDF-1.4 and then nothing',
    });
    const report = await whole();
    expect(pathsFound(database, 'which walrus pays the budget')).toEqual(['plan.docx']);
    expect(pathsFound(database, 'narwhal')).toEqual(['paper.pdf']);
    expect(report.skipped).toMatchObject([{ path: 'broken.pdf' }]);
  });
});

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
    expect(pathsFound(database, 'word39')).toEqual(['f39.md']);
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

  it('two that write at once do no harm to each other', async () => {
    const first = await world(
      Object.fromEntries(Array.from({ length: 40 }, (_none, at) => [`${at}.md`, `word${at} shared\n`])),
    );
    const workspace = await createWorkspace({ root: first.root });
    if (!workspace.ok) throw new Error(workspace.error.message);
    const { database } = openIndex(first.file);
    onTestFinished(() => database.close());
    const second = new Indexer({ database, workspace: workspace.value, now: () => Date.now() });
    await first.whole();
    await second.all();
    expect(database.prepare('SELECT count(*) AS n FROM files').get()).toMatchObject({ n: 40 });
    expect(database.prepare('SELECT count(*) AS n FROM chunks').get()).toMatchObject({ n: 40 });
    expect(database.prepare('PRAGMA integrity_check').get()).toMatchObject({ integrity_check: 'ok' });
  });
});

describe('the graph', () => {
  const files = {
    'src/animal.ts': 'export class Animal {\n  speak() { return make(1); }\n}\nexport const make = (n: number) => n;\n',
    'src/index.ts': "export { Animal as Beast, make } from './animal.ts';\n",
    'src/dog.ts':
      "import { Beast } from './index.ts';\nexport class Dog extends Beast {\n  run() { return this.speak(); }\n}\n",
    'src/use.ts': "import { make as build } from './animal.ts';\nexport const use = () => build(2);\n",
    'src/apart.ts': 'const make = () => 3;\nexport const own = () => make();\n',
    'lib/util.py': 'def make(n):\n    return n\n',
  };
  const asked = async (question: Parameters<Graph['ask']>[0]) => {
    const { database, whole } = await world(files);
    await whole();
    const answer = new Graph(database).ask(question);
    if (!answer.ok) return answer.error;
    return answer.value.rows.map(({ name, path: place, certainty }) =>
      `${name} ${place ?? ''} ${certainty ?? ''}`.trim(),
    );
  };
  const limit = 20;

  it('tells who calls a function, under other names too, and not who calls its namesake', async () => {
    verifies('Z20');
    expect(await asked({ relation: 'called_by', symbol: 'make', path: 'src/animal.ts', limit })).toEqual([
      'Animal.speak src/animal.ts certain',
      'use src/use.ts certain',
    ]);
    expect(await asked({ relation: 'called_by', symbol: 'make', path: 'src/apart.ts', limit })).toEqual([
      'own src/apart.ts certain',
    ]);
  });

  it('follows files that hand others on', async () => {
    expect(await asked({ relation: 'references', symbol: 'Animal', limit })).toContain('Dog src/dog.ts certain');
    expect(await asked({ relation: 'calls', symbol: 'Dog.run', limit })).toEqual(['Animal.speak src/animal.ts likely']);
  });

  it.each([
    [
      'defines',
      { path: 'src/animal.ts' },
      ['Animal src/animal.ts', 'Animal.speak src/animal.ts', 'make src/animal.ts'],
    ],
    ['contains', { symbol: 'Animal' }, ['Animal.speak src/animal.ts']],
    ['contains', { path: 'src/animal.ts' }, ['Animal src/animal.ts', 'make src/animal.ts']],
    ['imports', { path: 'src/dog.ts' }, ['./index.ts src/index.ts certain']],
    ['imported_by', { path: 'src/animal.ts' }, ['./animal.ts src/index.ts certain', './animal.ts src/use.ts certain']],
  ] as const)('answers %s of %j', async (relation, about, rows) => {
    expect(await asked({ relation, limit, ...about })).toEqual(rows);
  });

  it('says what it does not know', async () => {
    expect(await asked({ relation: 'calls', symbol: 'nobody', limit })).toMatchObject({ error_type: 'not_found' });
    expect(await asked({ relation: 'calls', path: 'nowhere.ts', limit })).toMatchObject({ error_type: 'not_found' });
    expect(await asked({ relation: 'calls', limit })).toMatchObject({ error_type: 'validation_failed' });
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
