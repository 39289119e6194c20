/**
 * Fits `src/search/fitted-weights.ts` on packages that are not reported, and prints how well it does on those and on
 * others: `node evals/retrieval/fit.ts`. With `ablation` it writes nothing and prints what is lost without each kind of
 * features. The answer's share of e^weight among all candidates is made as large as it gets, by steps along its slope.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BY_HAND, FEATURES, type Fitted, weightOf } from '../../src/search/weights.ts';
import { ROOT } from '../../tests/source-files.ts';
import { packagesFor } from './corpus.ts';
import { type Example, type Examples, examplesOf } from './examples.ts';
import { learnWeights } from './learn-weights.ts';
import { FIRST } from './measure.ts';

const LANGUAGES = ['TypeScript', 'Python', 'Go'] as const;

const isFound = ({ rows, answers, functions }: Example, fitted: Fitted): boolean => {
  if (!answers.includes(true)) return false;
  const scores = rows.map((row) => weightOf(row, fitted));
  const best = Math.max(...scores.filter((_score, at) => answers[at]));
  const before = new Set(functions.filter((_function, at) => (scores[at] as number) > best && !answers[at]));
  return before.size < FIRST;
};

const recalls = (examples: readonly Example[], fitted: Fitted): string =>
  LANGUAGES.map((language) => {
    const own = examples.filter((example) => example.language === language);
    const found = own.filter((example) => isFound(example, fitted));
    return `${language} ${((found.length / Math.max(1, own.length)) * 100).toFixed(1)}`;
  }).join('  ');

const fitFor = (kind: keyof Examples, fittedOn: Examples, checked: Examples): Fitted => {
  const columns = FEATURES.map((_name, at) => at).filter(
    (at) => BY_HAND[FEATURES[at] as keyof typeof BY_HAND] === undefined,
  );
  const fitted = learnWeights(fittedOn[kind], columns);
  console.log(`${kind}: recall@${FIRST} fitted  ${recalls(fittedOn[kind], fitted)}`);
  console.log(`${kind}: recall@${FIRST} checked ${recalls(checked[kind], fitted)}`);
  if (process.argv[2] === 'ablation') {
    for (const without of columns) {
      const rest = columns.filter((column) => column !== without);
      const lesser = learnWeights(fittedOn[kind], rest);
      console.log(`  without ${FEATURES[without]}: checked ${recalls(checked[kind], lesser)}`);
    }
  }
  return fitted;
};

if (import.meta.main) {
  const fittedOn = await examplesOf(packagesFor('fitted'));
  const checked = await examplesOf(packagesFor('checked'));
  const all = Object.fromEntries((['prose', 'code'] as const).map((kind) => [kind, fitFor(kind, fittedOn, checked)]));
  const text = `/** Written by \`node evals/retrieval/fit.ts\`, in the order of \`FEATURES\`. */\n// biome-ignore-all lint/suspicious/noApproximativeNumericConstant: these are fitted, whatever they are near to\nimport type { Fitted, WeightsFor } from './weights.ts';\n\nexport const FITTED: Record<WeightsFor, Fitted> = ${JSON.stringify(all)};\n`;
  if (process.argv[2] !== 'ablation') writeFileSync(join(ROOT, 'src', 'search', 'fitted-weights.ts'), text);
}
