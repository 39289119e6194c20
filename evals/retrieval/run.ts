/**
 * `npm run eval:retrieval`: how well search finds what a comment speaks of and what a call means, on the project's own
 * code and on packages that it was not set on. A comment's first paragraph is asked as it
 * stands (`written`) and with the function's own name taken out (`masked`). `own` leaves the packages out, `packages` the
 * own code; `before` asks the packages that were reported before, instead of the new ones. A second word names one
 * language.
 */
import { curatorReport, measureCurator } from './curator.ts';
import { askAll, type Outcome, openCorpus, report } from './measure.ts';
import { runOwnCode } from './own-code.ts';
import { fetchPackage, type Package, REPORTED, REPORTED_BEFORE, sourcesOf } from './packages.ts';
import { callQuestions, docstringQuestions, parseFiles, type Question, sample } from './questions.ts';

const DOCSTRINGS_EACH = 150;
const CALLS_EACH = 110;
const CURATED_EACH = 300;

const LANGUAGES = ['TypeScript', 'Python', 'Go'] as const;
type Measured = { written: Outcome[]; masked: Outcome[]; call: Outcome[] };
const FORMS = ['written', 'masked', 'call'] as const;

const measurePackage = async (item: Package): Promise<Measured> => {
  const files = sourcesOf(item, fetchPackage(item));
  const parsed = await parseFiles(files);
  const { questions, stripped } = docstringQuestions(parsed);
  const plain = files.map(({ path, text }) => [path, text] as const);
  const without = await openCorpus(new Map([...plain, ...stripped]));
  const asked = sample(questions, DOCSTRINGS_EACH);
  const askedAs = (pick: (question: Question) => string | undefined): Promise<Outcome[]> =>
    askAll(
      without,
      asked.map((question) => ({ ...question, text: pick(question) ?? question.text })),
    );
  const written = await askedAs((question) => question.written);
  const masked = await askedAs((question) => question.text);
  without.close();
  const whole = await openCorpus(new Map(plain));
  const call = await askAll(whole, sample(callQuestions(parsed), CALLS_EACH));
  whole.close();
  const measured: Measured = { written, masked, call };
  for (const form of FORMS) console.log(report(`  ${item.name} ${form}`, measured[form]));
  return measured;
};

const [only, named = ''] = process.argv.slice(2);
console.log('recall@5 in %, with 95 % intervals by bootstrap; words: BM25 over the text alone; no embedder\n');
if (only === undefined || only === 'own') {
  for (const line of await runOwnCode()) console.log(line);
  for (const line of await curatorReport()) console.log(line);
}
if (only !== 'own') {
  const all: Outcome[] = [];
  const reported = only === 'before' ? REPORTED_BEFORE : REPORTED;
  for (const language of LANGUAGES.filter((each) => named === '' || each === named)) {
    const found: Measured = { written: [], masked: [], call: [] };
    const packages = reported.filter((each) => each.language === language);
    for (const item of packages) {
      const measured = await measurePackage(item);
      for (const form of FORMS) found[form].push(...measured[form]);
    }
    for (const form of FORMS) console.log(report(`${language} ${form}`, found[form]));
    const files = packages.flatMap((item) => sourcesOf(item, fetchPackage(item)));
    for (const line of await measureCurator(files, CURATED_EACH)) console.log(`${language} ${line}`);
    all.push(...found.written);
  }
  if (named === '') console.log(report('all packages written', all));
}
