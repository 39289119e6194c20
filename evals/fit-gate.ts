/**
 * Fits the weights of the gate (`src/providers/led/gate.ts`) by logistic regression on the tune half of BFCL alone:
 * is a tool due (simple_python, multiple) or not (irrelevance)? Prints the weights and, by ten-fold cross-validation, how
 * many relevant questions are kept at several shares of refused irrelevant ones.
 *
 *   node evals/fit-gate.ts [seed]
 */
import { type GateFeatures, gateFeatures, shortlist } from '../src/providers/led/gate.ts';
import { defaultCacheFolder, fetchPackage } from './bfcl-data.ts';
import { selectItems } from './bfcl-run.ts';

type Row = { features: GateFeatures; relevant: number; weight: number };
type Model = { bias: number; weights: number[] };

/** Fewer questions are irrelevant than relevant; they count for more, so that both sides weigh alike. */
const IRRELEVANT_WEIGHT = 2.5;
const STEPS = 2000;
const RIDGE = 1;

const seed = Number(process.argv[2] ?? 7);
const items = await selectItems(await fetchPackage(defaultCacheFolder()), { seed, half: 'tune' });
const rows: Row[] = items.flatMap((item) => {
  const tool = shortlist(item.question, item.tools)[0]?.tool ?? item.tools[0];
  if (tool === undefined) return [];
  const relevant = item.category === 'irrelevance' ? 0 : 1;
  return [{ features: gateFeatures(item.question, tool), relevant, weight: relevant === 1 ? 1 : IRRELEVANT_WEIGHT }];
});
// `wholly` speaks of tools without required arguments and `verbAlone` of requests for words beside tools of a folder, of
// both of which BFCL has hardly any: they are set by hand.
const BY_HAND: ReadonlySet<string> = new Set(['wholly', 'verbAlone'] satisfies (keyof GateFeatures)[]);
const keys = (Object.keys(rows[0]?.features ?? {}) as (keyof GateFeatures)[]).filter((key) => !BY_HAND.has(key));

const score = (model: Model, row: Row): number =>
  keys.reduce((sum, key, index) => sum + (model.weights[index] ?? 0) * row.features[key], model.bias);

const fitWeights = (data: readonly Row[]): Model => {
  const total = data.reduce((sum, row) => sum + row.weight, 0);
  const mean = keys.map((key) => data.reduce((sum, row) => sum + row.features[key], 0) / data.length);
  const spread = keys.map((key, index) => {
    const square = data.reduce((sum, row) => sum + (row.features[key] - (mean[index] ?? 0)) ** 2, 0);
    return Math.sqrt(square / data.length) || 1;
  });
  let bias = 0;
  const weights = keys.map(() => 0);
  for (let step = 0; step < STEPS; step += 1) {
    const gradient = keys.map(() => 0);
    let biasGradient = 0;
    for (const row of data) {
      const values = keys.map((key, index) => (row.features[key] - (mean[index] ?? 0)) / (spread[index] ?? 1));
      const sum = values.reduce((part, value, index) => part + value * (weights[index] ?? 0), bias);
      const error = (1 / (1 + Math.exp(-sum)) - row.relevant) * row.weight;
      biasGradient += error;
      for (const [index, value] of values.entries()) gradient[index] = (gradient[index] ?? 0) + error * value;
    }
    bias -= biasGradient / total;
    for (const [index, value] of gradient.entries()) {
      weights[index] = (weights[index] ?? 0) - (value + RIDGE * (weights[index] ?? 0)) / total;
    }
  }
  const plain = weights.map((weight, index) => weight / (spread[index] ?? 1));
  return { bias: bias - plain.reduce((sum, weight, index) => sum + weight * (mean[index] ?? 0), 0), weights: plain };
};

const FOLDS = 10;
const scored = Array.from({ length: FOLDS }, (_, fold) => {
  const model = fitWeights(rows.filter((_row, index) => index % FOLDS !== fold));
  return rows.filter((_row, index) => index % FOLDS === fold).map((row) => ({ row, score: score(model, row) }));
}).flat();
const irrelevant = scored
  .filter(({ row }) => row.relevant === 0)
  .map((entry) => entry.score)
  .sort((a, b) => a - b);
const relevant = scored.filter(({ row }) => row.relevant === 1);
for (const refused of [0.7, 0.72, 0.76, 0.8]) {
  const threshold = irrelevant[Math.floor(irrelevant.length * refused)] ?? 0;
  const kept = relevant.filter((entry) => entry.score > threshold).length / relevant.length;
  console.log(
    `refused ${Math.round(refused * 100)} %: kept ${(kept * 100).toFixed(1)} %, threshold ${threshold.toFixed(2)}`,
  );
}
const model = fitWeights(rows);
console.log(
  JSON.stringify(
    { bias: model.bias, ...Object.fromEntries(keys.map((key, index) => [key, model.weights[index]])) },
    (_key, value) => (typeof value === 'number' ? Number(value.toFixed(2)) : value),
    1,
  ),
);
