/** The project's own code, which search was set on. `node evals/retrieval/own-code.ts [misses]` */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles, ROOT } from '../../tests/source-files.ts';
import { askAll, type Outcome, openCorpus, report } from './measure.ts';
import { callQuestions, docstringQuestions, parseFiles, sample } from './questions.ts';

const QUESTIONS = 400;

export const runOwnCode = async (showMisses = false): Promise<string[]> => {
  const paths = ['src', 'tests', 'bench', 'evals', 'scripts'].flatMap((folder) => listFiles(folder, ['.ts', '.mjs']));
  const files = paths.map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
  const parsed = await parseFiles(files);
  const { questions, stripped } = docstringQuestions(parsed);
  const lines: string[] = [];
  const run = async (title: string, corpusFiles: ReadonlyMap<string, string>, list: typeof questions) => {
    const corpus = await openCorpus(corpusFiles);
    const outcomes: Outcome[] = await askAll(corpus, sample(list, QUESTIONS));
    lines.push(report(title, outcomes));
    if (showMisses) {
      for (const { question, found } of outcomes.filter((outcome) => !outcome.found.hybrid).slice(0, 25)) {
        console.log(`${question.path}:${question.lineStart} ${found.words ? '(words finds it) ' : ''}${question.text}`);
        for (const hit of await corpus.searcher.search(question.text, { limit: 3 })) {
          console.log(`     ${hit.path}:${hit.line_start} ${hit.symbol} ${hit.found_by.join('+')}`);
        }
      }
    }
    corpus.close();
  };
  await run(
    'own docstring',
    new Map([...files.map(({ path, text }) => [path, text] as const), ...stripped]),
    questions,
  );
  await run('own call', new Map(files.map(({ path, text }) => [path, text])), callQuestions(parsed));
  return lines;
};

if (import.meta.main) for (const line of await runOwnCode(process.argv[2] === 'misses')) console.log(line);
