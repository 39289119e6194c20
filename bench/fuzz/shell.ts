/**
 * Mutated command lines: those that rules for reading allow are run in a sandbox, and none may leave a mark. At least 5 %
 * must be allowed: who denies everything wins nothing.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { openShellRules, surroundingsOf } from '../../src/agent/permissions/shell-rules.ts';
import { attackCases } from '../../tests/conformance/attack-cases.ts';
import { commandOf } from '../../tests/conformance/shell-policy-adapter.ts';
import { FUZZ_RULES, mutants } from '../../tests/conformance/shell-policy-fuzz.ts';
import { makeScene, runLines } from '../../tests/conformance/shell-policy-scene.ts';
import { type FuzzPart, share } from './part.ts';

const BATCH = 2_000;
const LEAST_ALLOWED = 0.05;

export const shellFuzz: FuzzPart = {
  count: 100_000,
  async run({ count, seed }) {
    const base = mkdtempSync('/dev/shm/halter-fuzz-');
    try {
      const folder = path.join(base, 'ws');
      mkdirSync(folder);
      makeScene(folder);
      const rules = await openShellRules();
      const surroundings = surroundingsOf(folder);
      const own = { allow: FUZZ_RULES.map((pattern) => ({ pattern })), deny: [{ pattern: 'rm *' }] };
      // The catalogue's lines take part where it is there.
      const lines = mutants(seed, count, (attackCases('shell-policy') ?? []).map(commandOf));
      const times: number[] = [];
      const allowed = lines.filter((line) => {
        const begun = performance.now();
        const { verdict } = rules.decide(own, line, surroundings);
        times.push(performance.now() - begun);
        return verdict === 'allow';
      });
      const marks: string[] = [];
      for (let at = 0; at < allowed.length; at += BATCH) {
        const batch = allowed.slice(at, at + BATCH);
        for (const index of runLines(folder, batch)) marks.push(batch[index] as string);
      }
      const part = (100 * allowed.length) / count;
      return {
        held: marks.length === 0 && allowed.length >= count * LEAST_ALLOWED,
        lines: [
          ...marks.map((line) => `LEFT A MARK: ${JSON.stringify(line)}`),
          `${count} mutants: ${allowed.length} allowed and run (${part.toFixed(1)} %), ${marks.length} left a mark`,
          `decision: median ${share(times, 0.5)} ms   p99 ${share(times, 0.99)} ms   longest ${share(times, 1)} ms`,
        ],
      };
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  },
};
