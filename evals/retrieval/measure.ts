/** How often an answer is among the first five, for each way of searching, and how sure that difference is. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { IndexTables } from '../../src/core/index-port.ts';
import { createWorkspace } from '../../src/io/workspace.ts';
import { openForReading, openIndex } from '../../src/search/database.ts';
import { Indexer } from '../../src/search/indexer.ts';
import { createSearcher, type Searcher } from '../../src/search/search.ts';
import { SqliteStore } from '../../src/search/sqlite-store.ts';
import { createSqliteTables } from '../../src/search/sqlite-tables.ts';
import { isAskingWord } from '../../src/search/words.ts';
import type { Question } from './questions.ts';
import { createRandom } from './random.ts';

export const WAYS = ['hybrid', 'words', 'grep'] as const;
export type Way = (typeof WAYS)[number];
/** For each question, whether each way found it, and how long it took. */
export type Outcome = { question: Question; found: Record<Way, boolean>; milliseconds: number };

export const FIRST = 5;
type Place = { path: string; line_start: number; line_end: number };

export const isAnswer = ({ path, lineStart, lineEnd, others = [] }: Question, hits: readonly Place[]): boolean =>
  hits
    .slice(0, FIRST)
    .some(
      (hit) =>
        hit.path === path &&
        [{ lineStart, lineEnd }, ...others].some(
          (place) => hit.line_start <= place.lineEnd && hit.line_end >= place.lineStart,
        ),
    );

/** What somebody with grep gets at best: the lines that hold the most words of the question. */
const grep = (files: ReadonlyMap<string, string[]>, text: string): Place[] => {
  const words = [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])].filter((word) => !isAskingWord(word));
  const best: (Place & { count: number })[] = [];
  for (const [path, lines] of files) {
    for (const [index, line] of lines.entries()) {
      const count = words.filter((word) => line.includes(word)).length;
      if (count > 0 && (best.length < FIRST || count > (best.at(-1)?.count ?? 0))) {
        best.push({ path, line_start: index + 1, line_end: index + 1, count });
        best.sort((a, b) => b.count - a.count);
        best.length = Math.min(best.length, FIRST);
      }
    }
  }
  return best;
};

export type Corpus = {
  tables: IndexTables;
  searcher: Searcher;
  lines: Map<string, string[]>;
  chunks: number;
  close(): void;
};

/** Writes the files into a folder of its own and indexes them as the program does. */
export const openCorpus = async (files: ReadonlyMap<string, string>): Promise<Corpus> => {
  const folder = mkdtempSync(join(tmpdir(), 'halter-retrieval-'));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, 'files', path)), { recursive: true });
    writeFileSync(join(folder, 'files', path), text);
  }
  const workspace = await createWorkspace({ root: join(folder, 'files') });
  if (!workspace.ok) throw new Error(workspace.error.message);
  const { database } = openIndex(join(folder, 'index.sqlite'));
  const done = await new Indexer({
    store: new SqliteStore(database),
    workspace: workspace.value,
    now: () => Date.now(),
  }).all();
  if (!done.ok) throw new Error(done.error.message);
  const { n } = database.prepare('SELECT count(*) AS n FROM chunks').get() as { n: number };
  database.close();
  const reading = openForReading(join(folder, 'index.sqlite'));
  if (reading === undefined) throw new Error('the index cannot be read');
  const tables = createSqliteTables(reading);
  return {
    tables,
    searcher: createSearcher(tables),
    lines: new Map([...files].map(([path, text]) => [path, text.toLowerCase().split('\n')])),
    chunks: n,
    close() {
      reading.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

export const ask = async ({ searcher, lines }: Corpus, question: Question): Promise<Outcome> => {
  const started = performance.now();
  const hybrid = await searcher.search(question.text, { limit: FIRST });
  const milliseconds = performance.now() - started;
  return {
    question,
    milliseconds,
    found: {
      hybrid: isAnswer(question, hybrid),
      words: isAnswer(question, await searcher.search(question.text, { limit: FIRST, mode: 'words' })),
      grep: isAnswer(question, grep(lines, question.text)),
    },
  };
};

/** One after the other, so that each is measured alone. */
export const askAll = async (corpus: Corpus, questions: readonly Question[]): Promise<Outcome[]> => {
  const outcomes: Outcome[] = [];
  for (const question of questions) outcomes.push(await ask(corpus, question));
  return outcomes;
};

export const recall = (outcomes: readonly Outcome[], way: Way): number =>
  outcomes.filter(({ found }) => found[way]).length / Math.max(1, outcomes.length);

const DRAWS = 2_000;
/** The middle 95 % of a figure over samples drawn with replacement, the same ones every time. */
export const interval = (
  outcomes: readonly Outcome[],
  figure: (sample: readonly Outcome[]) => number,
): [number, number] => {
  const random = createRandom(12_345);
  const figures = Array.from({ length: DRAWS }, () =>
    figure(Array.from(outcomes, () => outcomes[Math.floor(random() * outcomes.length)] as Outcome)),
  ).sort((a, b) => a - b);
  return [figures[Math.floor(DRAWS * 0.025)] ?? 0, figures[Math.floor(DRAWS * 0.975)] ?? 0];
};

const percent = (share: number): string => `${(share * 100).toFixed(1)}`.padStart(5);

export const report = (title: string, outcomes: readonly Outcome[]): string => {
  if (outcomes.length === 0) return `${title}: no questions`;
  const rows = WAYS.map((way) => {
    const [low, high] = interval(outcomes, (sample) => recall(sample, way));
    return `${way} ${percent(recall(outcomes, way))} (${percent(low).trim()}–${percent(high).trim()})`;
  });
  const [low, high] = interval(outcomes, (sample) => recall(sample, 'hybrid') - recall(sample, 'words'));
  const times = outcomes.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  const slow = times[Math.floor(times.length * 0.95)] ?? 0;
  return `${title.padEnd(24)} n=${String(outcomes.length).padStart(4)}  ${rows.join('  ')}  hybrid−words ${percent(low).trim()} to ${percent(high).trim()}  95 % within ${slow.toFixed(1)} ms`;
};
