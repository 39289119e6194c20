/**
 * Fits the weights of `src/retrieval/evidence.ts` on packages that are not reported, prints them, and what each kind of
 * evidence is worth on packages that they were not fitted on: `node evals/retrieval/fit.ts [ablation]`. The answer's
 * share of e^weight among all candidates is made as large as it gets, by steps along its slope.
 */

import { EVIDENCE, type Evidence } from '../../src/retrieval/evidence.ts';
import { createGatherer } from '../../src/retrieval/gather.ts';
import { looksLikeCode } from '../../src/retrieval/words.ts';
import { FIRST, isAnswer, openCorpus } from './measure.ts';
import { fetchPackage, type Package, sourcesOf } from './packages.ts';
import { callQuestions, docstringQuestions, parseFiles, type Question, sample } from './questions.ts';
import { CHECKED, FITTED } from './tuning.ts';

/** One question: its candidates' evidence, and which of them answer. */
type Example = { language: Package['language']; rows: number[][]; answers: boolean[] };
type Examples = { prose: Example[]; code: Example[] };

const QUESTIONS = 150;
const ROUNDS = 200;
const STEP = 0.08;
const SMALLNESS = 2e-3;
/** Set by hand: a question masks the name of its answer, so what is written out there is another; a person means it. */
const BY_HAND: Partial<Evidence> = { written: 2, recent: 0.05 };

const examplesOf = async (packages: readonly Package[]): Promise<Examples> => {
  const examples: Examples = { prose: [], code: [] };
  for (const item of packages) {
    const files = sourcesOf(item, fetchPackage(item));
    const parsed = await parseFiles(files);
    const { questions, stripped } = docstringQuestions(parsed);
    const plain = files.map(({ path, text }) => [path, text] as const);
    const gather = async (texts: ReadonlyMap<string, string>, list: readonly Question[], into: Example[]) => {
      const corpus = await openCorpus(texts);
      const gatherer = createGatherer(corpus.database);
      for (const question of list) {
        const asked = gatherer.readQuery(question.text);
        if (asked.words.length === 0) continue;
        const weighed = gatherer.evidence(asked, { isCode: looksLikeCode(question.text) });
        into.push({
          language: item.language,
          rows: weighed.map(({ evidence }) => EVIDENCE.map((key) => evidence[key])),
          answers: weighed.map(({ candidate: { path, lineStart, lineEnd } }) =>
            isAnswer(question, [{ path, line_start: lineStart, line_end: lineEnd }]),
          ),
        });
      }
      corpus.close();
    };
    const asked = sample(questions, QUESTIONS);
    // Each is asked once: one of three as it stands, the others without the name of their answer.
    const forms = asked.map((question, at): Question => {
      const { text, written = text } = question;
      return at % 3 === 0 ? { ...question, text: written } : question;
    });
    await gather(new Map([...plain, ...stripped]), forms, examples.prose);
    await gather(new Map(plain), sample(callQuestions(parsed), QUESTIONS), examples.code);
  }
  return examples;
};

const spreadOf = (examples: readonly Example[], column: number): number => {
  let count = 0;
  let sum = 0;
  let squares = 0;
  for (const { rows } of examples) {
    for (const row of rows) {
      const value = row[column] as number;
      count += 1;
      sum += value;
      squares += value * value;
    }
  }
  return Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2)) || 1;
};

/** Adds to `slope` how much the answer's share rises with each weight, for one question. */
const addSlope = (
  rows: readonly Float64Array[],
  answers: readonly boolean[],
  weights: Float64Array,
  slope: Float64Array,
  share: number,
): void => {
  const scores = new Float64Array(rows.length);
  let highest = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] as Float64Array;
    let score = 0;
    for (let column = 0; column < row.length; column += 1)
      score += (row[column] as number) * (weights[column] as number);
    scores[at] = score;
    highest = Math.max(highest, score);
  }
  let all = 0;
  let right = 0;
  for (let at = 0; at < rows.length; at += 1) {
    scores[at] = Math.exp((scores[at] as number) - highest);
    all += scores[at] as number;
    if (answers[at]) right += scores[at] as number;
  }
  for (let at = 0; at < rows.length; at += 1) {
    const pull = ((scores[at] as number) / all - (answers[at] ? (scores[at] as number) / right : 0)) * share;
    const row = rows[at] as Float64Array;
    for (let column = 0; column < row.length; column += 1) {
      slope[column] = (slope[column] as number) + pull * (row[column] as number);
    }
  }
};

const learn = (examples: readonly Example[], columns: readonly number[]): number[] => {
  const spreads = columns.map((column) => spreadOf(examples, column));
  const found = examples
    .filter(({ answers }) => answers.includes(true))
    .map(({ rows, answers }) => ({
      answers,
      rows: rows.map((row) =>
        Float64Array.from(columns, (column, at) => (row[column] as number) / (spreads[at] as number)),
      ),
    }));
  const weights = new Float64Array(columns.length);
  const means = new Float64Array(columns.length);
  const squares = new Float64Array(columns.length);
  for (let round = 1; round <= ROUNDS; round += 1) {
    const slope = weights.map((weight) => SMALLNESS * weight);
    for (const { rows, answers } of found) addSlope(rows, answers, weights, slope, 1 / found.length);
    for (const [at, rise] of slope.entries()) {
      const mean = 0.9 * (means[at] as number) + 0.1 * rise;
      const square = 0.99 * (squares[at] as number) + 0.01 * rise ** 2;
      means[at] = mean;
      squares[at] = square;
      weights[at] =
        (weights[at] as number) -
        (STEP * (mean / (1 - 0.9 ** round))) / (Math.sqrt(square / (1 - 0.99 ** round)) + 1e-8);
    }
  }
  return columns.map((_column, at) => (weights[at] as number) / (spreads[at] as number));
};

const recalls = (examples: readonly Example[], columns: readonly number[], weights: readonly number[]): string =>
  (['TypeScript', 'Python', 'Go'] as const)
    .map((language) => {
      const own = examples.filter((example) => example.language === language);
      const found = own.filter(({ rows, answers }) => {
        const scores = rows.map((row) =>
          columns.reduce((sum, column, at) => sum + (weights[at] as number) * (row[column] as number), 0),
        );
        const best = Math.max(...scores.filter((_score, at) => answers[at]));
        return answers.includes(true) && scores.filter((score, at) => score > best && !answers[at]).length < FIRST;
      });
      return `${language} ${((found.length / Math.max(1, own.length)) * 100).toFixed(1)}`;
    })
    .join('  ');

const run = (kind: string, fitted: readonly Example[], checked: readonly Example[]): void => {
  const columns = EVIDENCE.map((_name, at) => at).filter((at) => BY_HAND[EVIDENCE[at] as keyof Evidence] === undefined);
  const weights = learn(fitted, columns);
  console.log(`${kind}: recall@${FIRST} fitted  ${recalls(fitted, columns, weights)}`);
  console.log(`${kind}: recall@${FIRST} checked ${recalls(checked, columns, weights)}`);
  for (const [at, column] of columns.entries())
    console.log(`  ${EVIDENCE[column]}: ${(weights[at] as number).toFixed(2)},`);
  for (const [name, value] of Object.entries(BY_HAND)) console.log(`  ${name}: ${value}, (by hand)`);
  if (process.argv[2] !== 'ablation') return;
  for (const without of columns) {
    const rest = columns.filter((column) => column !== without);
    console.log(`  without ${EVIDENCE[without]}: checked ${recalls(checked, rest, learn(fitted, rest))}`);
  }
};

if (import.meta.main) {
  const fitted = await examplesOf(FITTED);
  const checked = await examplesOf(CHECKED);
  run('prose', fitted.prose, checked.prose);
  run('code', fitted.code, checked.code);
}
