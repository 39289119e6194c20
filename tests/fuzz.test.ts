/** A short run of each fuzzer; `npm run fuzz` makes the long ones. */

import { expect, it } from 'vitest';
import { argumentsFuzz } from '../bench/fuzz/arguments.ts';
import { pathsFuzz } from '../bench/fuzz/paths.ts';
import { sanitiserFuzz } from '../bench/fuzz/sanitiser.ts';
import { sessionsFuzz } from '../bench/fuzz/sessions.ts';
import { settingsFuzz } from '../bench/fuzz/settings.ts';
import { shellFuzz } from '../bench/fuzz/shell.ts';
import { detectSandbox } from '../src/sandbox/index.ts';
import { verifies } from './requirements.ts';
import { rounds } from './support/long.ts';
import { TEST_SEED } from './support/test-seed.ts';

it('random paths lead where the system says, and a swapped link leads nowhere else', async (test) => {
  verifies('H10');
  if (process.platform !== 'linux') test.skip('the swapper is met in the act on Linux alone');
  const { held, lines } = await pathsFuzz.run({ count: rounds(400, 2_000), seed: TEST_SEED });
  expect(held, lines.join('\n')).toBe(true);
});

it('mutated lines that rules for reading allow leave no mark', async (test) => {
  verifies('L1');
  if ((await detectSandbox()).kind !== 'bubblewrap')
    test.skip('bubblewrap does not work here (apt-get install bubblewrap)');
  const { held, lines } = await shellFuzz.run({ count: rounds(80, 400), seed: TEST_SEED });
  expect(held, lines.join('\n')).toBe(true);
});

it.each([
  ['no unsafe byte comes out of the sanitiser, however a text is cut', sanitiserFuzz, 20_000, ['Z19']],
  ['no tool runs with arguments that do not fit, or fails inside with those that do', argumentsFuzz, 150, ['E5', 'K4']],
  ['a damaged session loses the damaged lines alone', sessionsFuzz, 800, ['B5']],
  ['damaged settings allow nothing that they do not say', settingsFuzz, 150, ['Z10']],
] as const)('%s', async (_name, part, count, rows) => {
  verifies(...rows);
  const { held, lines } = await part.run({ count: rounds(Math.ceil(count / 5), count), seed: TEST_SEED });
  expect(held, lines.join('\n')).toBe(true);
});
