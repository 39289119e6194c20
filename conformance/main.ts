/**
 * `npm run conformance -- FOLDER [--json]`: plays test vectors and attack cases through the program.
 * Exit codes: 0 every case passed or was skipped, 1 a case failed, 2 the call is wrong.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { setEngineFlags } from '../src/cli/engine-flags.ts';
import { NoCases, playCases, type Report } from './play-cases.ts';

const USAGE = 'usage: npm run conformance -- FOLDER [--json]';

const readArguments = (): { folder: string; json: boolean } => {
  const { values, positionals } = parseArgs({ options: { json: { type: 'boolean' } }, allowPositionals: true });
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new NoCases(USAGE);
  return { folder, json: values.json ?? false };
};

/** Cases whose expectation is held to be wrong, with the reason. They are played, and counted as failed where they fail. */
const readDisputed = (): Readonly<Record<string, string>> => {
  try {
    return JSON.parse(readFileSync(new URL('../tests/conformance/disputed.json', import.meta.url), 'utf8'));
  } catch {
    return {};
  }
};

const print = ({ total, groups, failures, skips }: Report, json: boolean): void => {
  const disputed = readDisputed();
  const ofThem = (failed: readonly { id: string }[]): number => failed.filter(({ id }) => id in disputed).length;
  for (const [group, { passed, failed, skipped }] of groups) {
    const count = ofThem(failures.filter((failure) => failure.group === group));
    const note = count === 0 ? '' : ` (${count} disputed)`;
    process.stderr.write(`${group}: ${passed} passed, ${failed} failed${note}, ${skipped} skipped\n`);
  }
  for (const { id, reason } of skips) process.stderr.write(`skipped ${id}: ${reason}\n`);
  if (json) {
    const named = failures.map(({ id, reason }) => ({ id, reason }));
    process.stdout.write(`${JSON.stringify({ ...total, disputed: ofThem(failures), failures: named })}\n`);
    return;
  }
  for (const { id, reason } of failures) {
    const why = disputed[id];
    process.stdout.write(`failed  ${id}: ${reason}\n${why === undefined ? '' : `        disputed: ${why}\n`}`);
  }
  process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
};

const main = async (): Promise<number> => {
  setEngineFlags();
  try {
    const { folder, json } = readArguments();
    const report = await playCases(folder, process.cwd());
    print(report, json);
    return report.failures.length === 0 ? 0 : 1;
  } catch (error) {
    const isUsage = error instanceof NoCases || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
    if (!isUsage) throw error;
    process.stderr.write(`conformance: ${(error as Error).message}\n`);
    return 2;
  }
};

process.exitCode = await main();
