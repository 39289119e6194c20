/** Questions with all that is known of what may answer them: what weights are fitted on. */

import { functionOf, type Weighed } from '../../src/search/features.ts';
import { createGatherer } from '../../src/search/gather.ts';
import { FEATURES } from '../../src/search/weights.ts';
import { looksLikeCode } from '../../src/search/words.ts';
import { isAnswer, openCorpus } from './measure.ts';
import { fetchPackage, type Package, sourcesOf } from './packages.ts';
import { callQuestions, docstringQuestions, parseFiles, type Question, sample } from './questions.ts';

/** One question: its candidates' features, which of them answer, and which are parts of the same function. */
export type Example = {
  language: Package['language'];
  rows: number[][];
  answers: boolean[];
  functions: (string | number)[];
};
/** Comments and pieces of code, asked of the package that they are from. */
export type Examples = { prose: Example[]; code: Example[] };

const QUESTIONS = 60;

const exampleOf = (language: Package['language'], question: Question, weighed: readonly Weighed[]): Example => ({
  language,
  rows: weighed.map(({ features }) => FEATURES.map((key) => features[key])),
  functions: weighed.map(({ candidate }) => functionOf(candidate)),
  answers: weighed.map(({ candidate: { path, lineStart, lineEnd } }) =>
    isAnswer(question, [{ path, line_start: lineStart, line_end: lineEnd }]),
  ),
});

const fromPackage = async (
  language: Package['language'],
  texts: ReadonlyMap<string, string>,
  questions: readonly Question[],
): Promise<Example[]> => {
  const corpus = await openCorpus(texts);
  const gatherer = createGatherer(corpus.tables);
  const examples: Example[] = [];
  for (const question of questions) {
    const asked = await gatherer.readQuery(question.text);
    if (asked.words.length === 0) continue;
    const weighed = await gatherer.features(asked, { isCode: looksLikeCode(question.text) });
    examples.push(exampleOf(language, question, weighed));
  }
  corpus.close();
  return examples;
};

export const examplesOf = async (packages: readonly Package[]): Promise<Examples> => {
  const examples: Examples = { prose: [], code: [] };
  for (const item of packages) {
    const { language } = item;
    const files = sourcesOf(item, fetchPackage(item));
    const parsed = await parseFiles(files);
    const { questions, stripped } = docstringQuestions(parsed);
    const plain = new Map(files.map(({ path, text }) => [path, text]));
    const without = new Map([...plain, ...stripped]);
    // Each is asked once: one of three as it stands, the others without the name of their answer.
    const asked = sample(questions, QUESTIONS).map((question, at): Question => {
      const { text, written = text } = question;
      return at % 3 === 0 ? { ...question, text: written } : question;
    });
    examples.prose.push(...(await fromPackage(language, without, asked)));
    examples.code.push(...(await fromPackage(language, plain, sample(callQuestions(parsed), QUESTIONS))));
    console.error(`${language} ${item.name}: ${questions.length} comments`);
  }
  return examples;
};
