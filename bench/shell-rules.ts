/**
 * Shell rules: how long a decision takes beside the bare parse of the same line, and mutated lines run in a sandbox.
 *   node bench/shell-rules.ts                 decisions a line, median and p99, and the ratio to the bare parse
 *   node bench/shell-rules.ts --fuzz 100000 [--seed 1]    0 lines may leave a mark, and at least 5 % must be allowed
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { openGrammar } from '../src/permissions/shell-grammar.ts';
import { openShellRules, surroundingsOf } from '../src/permissions/shell-rules.ts';
import { attackCases } from '../tests/conformance/attack-cases.ts';
import { commandOf } from '../tests/conformance/shell-policy-adapter.ts';
import { FUZZ_RULES, mutants } from '../tests/conformance/shell-policy-fuzz.ts';
import { makeScene, runLines } from '../tests/conformance/shell-policy-scene.ts';

const { values } = parseArgs({ options: { fuzz: { type: 'string' }, seed: { type: 'string', default: '1' } } });
const base = mkdtempSync('/dev/shm/halter-bench-');
const folder = path.join(base, 'ws');
mkdirSync(folder);
makeScene(folder);
const rules = await openShellRules();
const surroundings = surroundingsOf(folder);
const allow = FUZZ_RULES.map((pattern) => ({ pattern }));
const decide = (line: string): string =>
  rules.decide({ allow, deny: [{ pattern: 'rm *' }] }, line, surroundings).verdict;

const BATCH = 2_000;
const fuzz = (count: number, seed: number): void => {
  // The catalogue's lines take part where it is there.
  const lines = mutants(seed, count, (attackCases('shell-policy') ?? []).map(commandOf));
  const times: number[] = [];
  const allowed = lines.filter((line) => {
    const begun = performance.now();
    const verdict = decide(line);
    times.push(performance.now() - begun);
    return verdict === 'allow';
  });
  const marks: string[] = [];
  for (let at = 0; at < allowed.length; at += BATCH) {
    const batch = allowed.slice(at, at + BATCH);
    for (const index of runLines(folder, batch)) marks.push(batch[index] as string);
  }
  for (const line of marks) console.log(`LEFT A MARK: ${JSON.stringify(line)}`);
  console.log(
    `${count} mutants (seed ${seed}): ${allowed.length} allowed and run (${((100 * allowed.length) / count).toFixed(1)} %), ${marks.length} left a mark`,
  );
  console.log(
    `decision: median ${share(times, 0.5)} ms   p99 ${share(times, 0.99)} ms   longest ${share(times, 1)} ms`,
  );
  process.exitCode = marks.length > 0 || allowed.length < count * 0.05 ? 1 : 0;
};
const share = (times: readonly number[], part: number): string => {
  const sorted = times.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] as number).toFixed(3);
};

/** What a person may have allowed in a while: few rules, most of them about something else. */
const FEW = 'git status *|git log *|npm test *|ls *|cat *|rg *|sort *|uniq *|head *|wc *'
  .split('|')
  .map((pattern) => ({ pattern }));
const decideByFew = (line: string): string =>
  rules.decide({ allow: FEW, deny: [{ pattern: 'rm *' }] }, line, surroundings).verdict;

const LINES: Readonly<Record<string, string>> = {
  short: 'ls -la src',
  git: 'git log --oneline -3',
  pipe: "cat a.txt | sort -u | uniq -c | head -n 3 && rg -n 'a;b && c|d' src; wc -l a.txt",
  quoted: "rg -n 'two words' src/b.txt",
  refused: 'for f in $(ls); do rm -rf "$f"; done',
};
const ROUNDS = 4_000;
const latency = async (): Promise<void> => {
  const grammar = await openGrammar();
  for (const [name, line] of Object.entries(LINES)) {
    const parse: number[] = [];
    const decision: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      // Another line each time: the answer to the same one is remembered.
      const each = `${line} ${round % 10}x`;
      const begun = performance.now();
      grammar.parse(each)?.delete();
      const parsed = performance.now();
      decideByFew(each);
      decision.push(performance.now() - parsed);
      parse.push(parsed - begun);
    }
    const ratio = Number(share(decision, 0.5)) / Number(share(parse, 0.5));
    console.log(
      `${name.padEnd(8)} parse ${share(parse, 0.5)} ms   decision ${share(decision, 0.5)} ms (p99 ${share(decision, 0.99)} ms)   ${ratio.toFixed(2)} × the bare parse`,
    );
  }
};

if (values.fuzz === undefined) await latency();
else fuzz(Number(values.fuzz), Number(values.seed));
rmSync(base, { recursive: true, force: true });
