/**
 * Mutated cases by the million: nothing throws, nothing hangs, pieces make no difference, unmarked calls are only to
 * tools that were offered. `node bench/fuzz-dialects.ts [count] [seed]`
 */
import { dialectNames } from '../src/dialects/index.ts';
import { eventFaults, fingerprint, inPiecesOf, ownCorpus, run, sharedVectors } from '../tests/conformance/cases.ts';
import { mutate } from '../tests/conformance/mutations.ts';
import { randomFrom } from '../tests/support/random.ts';

const count = Number(process.argv[2] ?? 1_000_000);
const seed = Number(process.argv[3] ?? 1);
const LONGEST = 2_500;
const REPORT_EVERY = 100_000;
/** More than this for a text of a few hundred characters would be a hang; a busy machine may take a moment. */
const SLOW_MS = 2_000;
/** Formats without a marker take only calls to tools that were offered. */
const BARE = new Set(['plain-json', 'edison', 'pythonic', 'react', 'functionary-v3.2']);

const random = randomFrom(seed);
const cases = [...ownCorpus(), ...sharedVectors()].filter(({ text }) => text.length <= LONGEST);
const dialects = dialectNames().filter((name) => name !== 'native');
let withCall = 0;
let faults = 0;

const report = (what: string, dialect: string, text: string): void => {
  faults++;
  console.log(`${what} in ${dialect}: ${JSON.stringify(text)}`);
};

for (let i = 1; i <= count; i++) {
  const one = mutate(cases, random);
  const roll = random();
  const dialect =
    roll < 0.2 ? 'auto' : roll < 0.3 ? (dialects[Math.floor(random() * dialects.length)] as string) : one.format;
  const started = performance.now();
  try {
    const whole = run(one, dialect);
    if (performance.now() - started > SLOW_MS) report('slow', dialect, one.text);
    if (whole.result.calls.length > 0) withCall++;
    for (const fault of eventFaults(whole)) report(fault, dialect, one.text);
    const names = new Set(one.tools?.map((tool) => ('function' in tool ? tool.function.name : tool.name)));
    if (BARE.has(dialect) && one.tools !== undefined && !whole.result.calls.every(({ name }) => names.has(name))) {
      // A marker of another family that the format also knows may name any tool.
      if (!one.text.includes('<|python_tag|>')) report('a call to a tool that was not offered', dialect, one.text);
    }
    const size = 1 + Math.floor(random() * 12);
    if (fingerprint(run(one, dialect, inPiecesOf(size, one.text))) !== fingerprint(whole)) {
      report(`pieces of ${size} make a difference`, dialect, one.text);
    }
  } catch (error) {
    report(`thrown: ${String(error)}`, dialect, one.text);
  }
  if (i % REPORT_EVERY === 0) console.log(`${i} mutations, ${withCall} with a call, ${faults} faults`);
}
console.log(
  `${count} mutations from seed ${seed}: ${((withCall / count) * 100).toFixed(1)} % hold a call, ${faults} faults`,
);
process.exitCode = faults === 0 ? 0 : 1;
