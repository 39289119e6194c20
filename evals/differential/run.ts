/**
 * `npm run eval:differential`: halter's parser and the parsers of inference engines read the same texts, and every
 * difference is listed with a verdict and its reason. See docs/explanation/differential-test.md.
 *
 *   --engine NAME     only this engine
 *   --format NAME     only this format
 *   --cache FOLDER    where the engines' sources are kept (default: below the person's cache folder)
 *   --details FILE    every difference with its text and both readings, as JSON
 *   --quiet           the tables alone
 *   --mutations N     then N damaged texts (default 3000): where do the engines agree and halter alone differs?
 *   --seed S          which damage (default 20261122)
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { ownCorpus, sharedVectors } from '../../tests/conformance/cases.ts';
import { driveEngine } from './drive-engine.ts';
import { ENGINES } from './engines.ts';
import { defaultCacheFolder, fetchEngine } from './fetch-engine.ts';
import { type Judged, judge } from './judge.ts';
import { readReasons } from './reasons.ts';
import { differencesText, summaryText, tableText } from './report.ts';
import { runVote, type VoteResult, voteText } from './vote.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string' },
    format: { type: 'string' },
    cache: { type: 'string', default: defaultCacheFolder() },
    details: { type: 'string' },
    mutations: { type: 'string', default: '3000' },
    seed: { type: 'string', default: '20261122' },
    quiet: { type: 'boolean', default: false },
  },
});

const shared = sharedVectors();
const cases = [...shared, ...ownCorpus()];
const reasons = readReasons();
const print = (text: string): boolean => process.stdout.write(`${text}\n`);
const judged: Judged[] = [];

print(
  `${cases.length} cases: ${shared.length} vectors of the shared suite, ${cases.length - shared.length} of our own corpus`,
);
for (const engine of ENGINES.filter(({ name }) => values.engine === undefined || name === values.engine)) {
  const known = cases.filter(
    ({ format }) => engine.formats[format] !== undefined && (values.format === undefined || format === values.format),
  );
  const fetched = await fetchEngine(engine, values.cache);
  const results = await driveEngine(engine, fetched, known);
  const own = known.map((one, i) => judge(one, engine, results[i], reasons));
  judged.push(...own);
  print(
    `\n${engine.package} ${engine.version}: ${known.length} cases in ${Object.keys(engine.formats).length} formats`,
  );
  print(tableText(own));
  if (!values.quiet) print(differencesText(own));
  print(summaryText(own));
}
const isWholeRun = values.engine === undefined && values.format === undefined && shared.length > 0;
if (isWholeRun) {
  const used = new Set(judged.flatMap(({ differences }) => differences.map(({ reason }) => reason)));
  const idle = reasons.filter(({ reason }) => !used.has(reason));
  print(`reasons on file that fit no difference any more: ${idle.length}`);
  for (const { engine, formats, reason } of idle) print(`  ${engine} ${formats.join(', ')}: ${reason}`);
}
const whole = values.engine === undefined && values.format === undefined && Number(values.mutations) > 0;
const votes: VoteResult | undefined = whole
  ? await runVote(Number(values.mutations), Number(values.seed), values.cache)
  : undefined;
if (votes !== undefined) print(voteText(votes));
if (values.details !== undefined) {
  const differing = judged.filter(({ differences }) => differences.length > 0);
  await writeFile(
    values.details,
    JSON.stringify({ differing, votes: votes?.against ?? [], failed: votes?.failed ?? [] }, undefined, 1),
  );
}
// A difference that nobody has looked at is the point of the test, so it fails.
if (judged.some(({ differences }) => differences.some(({ reason }) => reason === undefined))) process.exitCode = 1;
