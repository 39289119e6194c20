/**
 * The curator on long files: a question about one function of a file of 300 lines or more, whose answer is at most a
 * tenth of it. How many of the answer's lines are shown, and how much of the file.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCurator } from '../../src/search/curator/curator.ts';
import { linesIn } from '../../src/search/curator/sections.ts';
import { listFiles, ROOT } from '../../tests/source-files.ts';
import { docstringQuestions, parseFiles, type Question, type SourceFile, sample } from './questions.ts';

const FILE_LINES_MIN = 300;
const ANSWER_SHARE_MAX = 0.1;

type Curated = { kept: number; lines: number; shown: number };

const lineCount = (text: string): number => text.split('\n').length;

const askAbout = async (text: string, question: Question, said: string): Promise<Curated> => {
  const curator = createCurator({ messages: () => [said], memory: new Map() });
  const { sections } = await curator.curate({ path: question.path, hash: '', text }, new AbortController().signal);
  let kept = 0;
  for (let line = question.lineStart; line <= question.lineEnd; line += 1) {
    if (sections.some(({ line_start, line_end }) => line >= line_start && line <= line_end)) kept += 1;
  }
  return { kept, lines: question.lineEnd - question.lineStart + 1, shown: linesIn(sections) / lineCount(text) };
};

export const measureCurator = async (
  files: readonly SourceFile[],
  most = Number.POSITIVE_INFINITY,
): Promise<string[]> => {
  const long = files.filter(({ text }) => lineCount(text) >= FILE_LINES_MIN);
  const parsed = await parseFiles(long);
  const { questions, stripped } = docstringQuestions(parsed);
  const texts = new Map(long.map(({ path, text }) => [path, text]));
  const short = sample(
    questions.filter(
      ({ path, lineStart, lineEnd }) => lineEnd - lineStart + 1 <= ANSWER_SHARE_MAX * lineCount(texts.get(path) ?? ''),
    ),
    most,
  );
  const named = new Map<string, { at: number; name: string }[]>();
  for (const { path, outline } of parsed) {
    for (const { lineStart: at, name } of outline.definitions) {
      const key = `${path}:${name}`;
      named.set(key, [...(named.get(key) ?? []), { at, name }]);
    }
  }
  /** A name that the file gives once: of several it names none. */
  const onlyNames = new Map(
    [...named].flatMap(([key, list]) => {
      const [first] = list;
      const path = key.slice(0, key.lastIndexOf(':'));
      return first && list.length === 1 ? [[`${path}:${first.at}`, first.name] as const] : [];
    }),
  );
  const line = (title: string, results: readonly Curated[]): string => {
    const sum = (pick: (result: Curated) => number): number =>
      results.reduce((total, result) => total + pick(result), 0);
    const kept = sum((result) => result.kept) / sum((result) => result.lines);
    const shown = sum((result) => result.shown) / results.length;
    return `${title.padEnd(42)} n=${String(results.length).padStart(4)}  ${(kept * 100).toFixed(1)} % of the answers' lines in ${(shown * 100).toFixed(1)} % of the files (at most ${(Math.max(0, ...results.map((result) => result.shown)) * 100).toFixed(1)} %)`;
  };
  const results: Record<'described' | 'removed' | 'named', Curated[]> = { described: [], removed: [], named: [] };
  for (const question of short) {
    const text = texts.get(question.path) as string;
    results.described.push(await askAbout(text, question, question.text));
    results.removed.push(await askAbout(stripped.get(question.path) ?? text, question, question.text));
    const name = onlyNames.get(`${question.path}:${question.lineStart}`);
    if (name !== undefined) {
      results.named.push(await askAbout(text, question, `How does ${name} in ${question.path} work?`));
    }
  }
  if (short.length === 0) return [];
  return [
    line('curator: named', results.named),
    line('curator: described as its comment does', results.described),
    line('curator: the same with the comment removed', results.removed),
  ];
};

export const curatorReport = (): Promise<string[]> =>
  measureCurator(
    ['src', 'tests', 'bench', 'evals', 'scripts']
      .flatMap((folder) => listFiles(folder, ['.ts', '.mjs']))
      .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') })),
  );

if (import.meta.main) for (const text of await curatorReport()) console.log(text);
