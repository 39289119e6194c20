/**
 * What the index costs: its speed against tree-sitter alone in the same run, a second look at a large tree, memory, a
 * question to a large index, and a long file read again through the curator. `node bench/index.ts [speed again memory questions curator]`
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { docstringQuestions, parseFiles, type SourceFile, sample } from '../evals/retrieval/questions.ts';
import { createWorkspace } from '../src/io/workspace.ts';
import { createCurator } from '../src/search/curator/curator.ts';
import { openForReading, openIndex } from '../src/search/database.ts';
import { openGrammar } from '../src/search/grammars.ts';
import { Indexer } from '../src/search/indexer.ts';
import { type Language, languageNamed } from '../src/search/languages.ts';
import { ParsingThread } from '../src/search/parser-thread.ts';
import type { ParserThread } from '../src/search/prepare-file.ts';
import { createSearcher } from '../src/search/search.ts';
import { SqliteStore } from '../src/search/sqlite-store.ts';
import { createSqliteTables } from '../src/search/sqlite-tables.ts';
import { listFiles, ROOT } from '../tests/source-files.ts';
import { askedOf, copyInto, put } from './index/large.ts';

const RUNS = 7;
const TREE_FILES = 10_000;
const CHUNKS = 100_000;
const QUESTIONS = 100;
/** How long a small local model takes at least to judge a file. */
const JUDGEMENT_MS = 500;
const MEGABYTE = 1e6;

const folder = mkdtempSync(join(tmpdir(), 'halter-bench-index-'));
const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
};
/** Wall time, and what all threads of this program computed meanwhile. */
type Cost = { seconds: number; cpu: number };
const costOf = async (work: () => Promise<unknown>): Promise<Cost> => {
  const before = process.cpuUsage();
  const took = await seconds(work);
  const { user, system } = process.cpuUsage(before);
  return { seconds: took, cpu: (user + system) / 1e6 };
};
const least = (costs: readonly Cost[]): Cost => ({
  seconds: Math.min(...costs.map((cost) => cost.seconds)),
  cpu: Math.min(...costs.map((cost) => cost.cpu)),
});
const indexerFor = async (root: string, file: string, openParser?: () => ParserThread) => {
  // As the indexing thread opens it.
  const workspace = await createWorkspace({ root, blocking: true });
  if (!workspace.ok) throw new Error(workspace.error.message);
  const { database } = openIndex(file);
  const indexer = new Indexer({
    store: new SqliteStore(database),
    workspace: workspace.value,
    now: () => Date.now() + 60_000,
    openParser,
  });
  return { database, indexer };
};
const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
const verdict = (good: boolean): string => (good ? 'ok' : 'NOT REACHED');

const sources: SourceFile[] = ['src', 'tests', 'bench', 'evals']
  .flatMap((name) => listFiles(name, ['.ts']))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
const bytes = sources.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);

const code = join(folder, 'code');
const tree = join(folder, 'tree');
const putCode = (): void => put(code, sources);
const putTree = (): void =>
  put(
    tree,
    Array.from({ length: TREE_FILES }, (_none, at) => ({
      path: `d${at % 100}/e${at % 7}/f${at}.ts`,
      text: `export const value${at} = (input: number) => input + ${at};\n`,
    })),
  );

/** Speed; the ways in turn, so that what else the machine does meets all of them. */
const speed = async (): Promise<void> => {
  putCode();
  const { parser } = await openGrammar(languageNamed('typescript') as Language);
  const alone: Cost[] = [];
  const ways: { name: string; openParser?: () => ParserThread; costs: Cost[] }[] = [
    { name: 'one thread', costs: [] },
    { name: 'two threads, as halter does it', openParser: () => new ParsingThread(), costs: [] },
  ];
  for (let run = 0; run < RUNS; run += 1) {
    alone.push(
      await costOf(async () => {
        for (const { text } of sources) parser.parse(text)?.delete();
      }),
    );
    for (const { name, openParser, costs } of ways) {
      const { database, indexer } = await indexerFor(code, join(folder, `${name}-${run}.sqlite`), openParser);
      costs.push(await costOf(() => indexer.all()));
      database.close();
    }
  }
  const parse = least(alone);
  const rate = (cost: Cost): string => `${(bytes / MEGABYTE / cost.seconds).toFixed(1)} MB/s`;
  console.log(`tree-sitter alone, one thread, ${(bytes / MEGABYTE).toFixed(1)} MB of TypeScript: ${rate(parse)}`);
  for (const { name, costs } of ways) {
    const index = least(costs);
    const share = parse.seconds / index.seconds;
    console.log(
      `index of the same, ${name}: ${rate(index)}; ${percent(share)} of tree-sitter's speed, by processor time ${percent(parse.cpu / index.cpu)} (goal 50 %): ${verdict(share >= 0.5)}`,
    );
  }
};

/** A second look at a large tree. */
const again = async (): Promise<void> => {
  putTree();
  const large = await indexerFor(tree, join(folder, 'tree.sqlite'));
  await large.indexer.all();
  const looks: number[] = [];
  for (let run = 0; run < RUNS; run += 1) looks.push(await seconds(() => large.indexer.all()));
  large.database.close();
  const look = Math.min(...looks);
  console.log(`a second look at ${TREE_FILES} files: ${look.toFixed(2)} s (goal 1 s): ${verdict(look <= 1)}`);
};

/** Memory of the whole program, thread and all. */
const memory = async (): Promise<void> => {
  putCode();
  putTree();
  const peak =
    'data:text/javascript,process.on("exit",()=>process.stderr.write("peak "+process.resourceUsage().maxRSS+"\\n"))';
  for (const [what, where] of [
    ['the code', code],
    [`${TREE_FILES} files`, tree],
  ] as const) {
    const ran = spawnSync(process.execPath, ['--import', peak, join(ROOT, 'src/cli/main.ts'), 'index', '-C', where], {
      env: { ...process.env, HOME: join(folder, 'home'), XDG_DATA_HOME: join(folder, 'home', what) },
      encoding: 'utf8',
    });
    const megabytes = Number(/peak (\d+)/.exec(ran.stderr)?.[1]) / 1024;
    console.log(`halter index of ${what}: ${megabytes.toFixed(0)} MB at most (goal 300): ${verdict(megabytes <= 300)}`);
  }
};

/** Questions to a large index: the code many times over, each time with names of its own. */
const questions = async (): Promise<void> => {
  const many = join(folder, 'many');
  const parsed = await parseFiles(sources);
  const { questions } = docstringQuestions(parsed);
  const whole = await indexerFor(copyInto(many, sources, 0), join(folder, 'many.sqlite'));
  await whole.indexer.all();
  const count = (): number => (whole.database.prepare('SELECT count(*) AS n FROM chunks').get() as { n: number }).n;
  const each = count();
  for (let copy = 1; copy * each < CHUNKS; copy += 1) copyInto(many, sources, copy);
  await whole.indexer.all();
  const chunks = count();
  whole.database.close();
  const reading = openForReading(join(folder, 'many.sqlite'));
  if (reading === undefined) throw new Error('the index cannot be read');
  const searcher = createSearcher(createSqliteTables(reading));
  const { median, slow } = await askedOf(searcher, sample(questions, QUESTIONS));
  reading.close();
  console.log(
    `a question of a sentence to ${chunks} chunks: ${median.toFixed(1)} ms, 95 % within ${slow.toFixed(1)} ms (goal 20 ms): ${verdict(slow <= 20)}`,
  );
};

/** A long file again through the curator. */
const curator = async (): Promise<void> => {
  const longest = [...sources].sort((a, b) => b.text.length - a.text.length)[0] as SourceFile;
  const curated = new Map();
  const read = (judge: boolean) =>
    createCurator({
      messages: () => ['what is this about'],
      memory: curated,
      ...(judge
        ? {
            judge: () =>
              new Promise((resolve) =>
                setTimeout(resolve, JUDGEMENT_MS, { sections: [{ line_start: 1, line_end: 20 }] }),
              ),
          }
        : {}),
    }).curate({ path: longest.path, hash: longest.path, text: longest.text }, new AbortController().signal);
  const first = await seconds(() => read(true));
  const again = await seconds(() => read(true));
  console.log(
    `a file of ${longest.text.split('\n').length} lines, judged in ${JUDGEMENT_MS} ms: ${(first * 1000).toFixed(0)} ms, again ${(again * 1000).toFixed(2)} ms: ${(first / again).toFixed(0)} times as fast (goal 50): ${verdict(first / again >= 50)}`,
  );
};

const PARTS: Readonly<Record<string, () => Promise<void>>> = { speed, again, memory, questions, curator };
const wanted = process.argv.slice(2);
try {
  for (const [name, part] of Object.entries(PARTS)) if (wanted.length === 0 || wanted.includes(name)) await part();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
