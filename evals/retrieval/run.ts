/**
 * `npm run eval:retrieval`: how well search finds what a comment speaks of and what a call means, on the project's own
 * code and on packages that it was not set on. `own` leaves the packages out, `packages` the own code.
 */
import { curatorReport } from './curator.ts';
import { ask, type Outcome, openCorpus, report } from './measure.ts';
import { runOwnCode } from './own-code.ts';
import { fetchPackage, PACKAGES, type Package, sourcesOf } from './packages.ts';
import { callQuestions, docstringQuestions, parseFiles, sample } from './questions.ts';

const DOCSTRINGS_EACH = 150;
const CALLS_EACH = 110;

type Measured = { summary: Outcome[]; docstring: Outcome[]; call: Outcome[] };

const measurePackage = async (item: Package): Promise<Measured> => {
  const files = sourcesOf(item, fetchPackage(item));
  const parsed = await parseFiles(files);
  const { questions, stripped } = docstringQuestions(parsed);
  const plain = files.map(({ path, text }) => [path, text] as const);
  const without = await openCorpus(new Map([...plain, ...stripped]));
  const asked = sample(questions, DOCSTRINGS_EACH);
  const summary = asked.map((question) => ask(without, question));
  const docstring = asked.map((question) => ask(without, { ...question, text: question.whole ?? question.text }));
  without.close();
  const whole = await openCorpus(new Map(plain));
  const call = sample(callQuestions(parsed), CALLS_EACH).map((question) => ask(whole, question));
  whole.close();
  console.log(report(`  ${item.name} summary`, summary));
  console.log(report(`  ${item.name} docstring`, docstring));
  console.log(report(`  ${item.name} call`, call));
  return { summary, docstring, call };
};

const [only] = process.argv.slice(2);
console.log('recall@5 in %, with 95 % intervals by bootstrap; words: BM25 over the text alone; no embedder\n');
if (only !== 'packages') {
  for (const line of await runOwnCode()) console.log(line);
  for (const line of await curatorReport()) console.log(line);
}
if (only !== 'own') {
  const all: Outcome[] = [];
  for (const language of ['TypeScript', 'Python', 'Go'] as const) {
    const found: Measured = { summary: [], docstring: [], call: [] };
    for (const item of PACKAGES.filter((each) => each.language === language)) {
      const { summary, docstring, call } = await measurePackage(item);
      found.summary.push(...summary);
      found.docstring.push(...docstring);
      found.call.push(...call);
    }
    console.log(report(`${language} summary`, found.summary));
    console.log(report(`${language} docstring`, found.docstring));
    console.log(report(`${language} call`, found.call));
    all.push(...found.docstring);
  }
  console.log(report('all packages docstring', all));
}
