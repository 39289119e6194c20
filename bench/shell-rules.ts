/**
 * Shell rules: how long a decision takes beside the bare parse of the same line, median and p99, and their ratio.
 *   node bench/shell-rules.ts
 * Mutated lines run in a sandbox are one of the fuzzers (`bench/fuzz.ts shell`).
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import path from 'node:path';
import { openGrammar } from '../src/agent/permissions/shell-rules/grammar.ts';
import { openShellRules, surroundingsOf } from '../src/agent/permissions/shell-rules.ts';
import { makeScene } from '../tests/conformance/shell-policy-scene.ts';
import { share } from './fuzz/part.ts';

const base = mkdtempSync('/dev/shm/halter-bench-');
const folder = path.join(base, 'ws');
mkdirSync(folder);
makeScene(folder);
const rules = await openShellRules();
const surroundings = surroundingsOf(folder);

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
  nested: `rg -n "it's \\"two\\" words" src --glob '*.txt' | head -20`,
  asked: 'ls "$HOME" > list.txt 2>&1; tail -5 list.txt',
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

await latency();
console.log(`load ${loadavg()[0]?.toFixed(1)} on ${cpus().length} processors`);
rmSync(base, { recursive: true, force: true });
