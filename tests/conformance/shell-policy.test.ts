import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openShellRules, surroundingsOf } from '../../src/agent/permissions/shell-rules.ts';
import { verifies } from '../requirements.ts';
import { everyNth, rounds, timeLimit } from '../support/long.ts';
import { scratchFolder } from '../support/scratch.ts';
import { attackCases } from './attack-cases.ts';
import { commandOf, decideCase, decisionWord, expectedDecisions } from './shell-policy-adapter.ts';
import { FUZZ_RULES, mutants } from './shell-policy-fuzz.ts';
import { BUBBLEWRAP, makeScene, runLines } from './shell-policy-scene.ts';

const sandboxWorks =
  existsSync(BUBBLEWRAP) && spawnSync(BUBBLEWRAP, ['--ro-bind', '/', '/', '--unshare-net', 'true']).status === 0;
const NO_SANDBOX = 'bubblewrap does not work here (apt-get install bubblewrap)';
const FUZZ_SEED = 20_261;
const FUZZ_MUTANTS = rounds(800, 4_000);

const scene = (): string => {
  const folder = path.join(scratchFolder(true), 'ws');
  mkdirSync(folder);
  makeScene(folder);
  return folder;
};

describe('the catalogue: shell-policy', () => {
  const cases = attackCases('shell-policy') ?? [];
  it('is there', (test) => {
    if (attackCases('shell-policy') === undefined)
      test.skip('the catalogue is not beside the repository (../shared/conformance)');
    expect(cases.length).toBeGreaterThan(0);
  });

  it.for(cases)('$id: $why', async (attack, test) => {
    verifies('L1', 'Z8', 'Z10');
    const rules = await openShellRules();
    const folder = scene();
    if (typeof attack.given.prep === 'string') spawnSync('/bin/sh', ['-c', attack.given.prep], { cwd: folder });
    const decision = decideCase(rules, attack, surroundingsOf(folder));
    expect(expectedDecisions(attack)).toContain(decisionWord(decision, attack.given.mode));
    if (decision.verdict !== 'allow') return;
    if (!sandboxWorks) test.skip(NO_SANDBOX);
    expect(runLines(folder, [commandOf(attack)]).size).toBe(0);
  });

  it('is about lines that really do more than they say: most of those it wants asked about leave a mark when they run', (test) => {
    if (cases.length === 0) test.skip('the catalogue is not beside the repository (../shared/conformance)');
    if (!sandboxWorks) test.skip(NO_SANDBOX);
    const asked = everyNth(
      cases.filter((attack) => expectedDecisions(attack).join() === 'prompt' && attack.given.prep === undefined),
      3,
    );
    const left = asked.filter((attack) => runLines(scene(), [commandOf(attack)]).size > 0);
    expect(left.length).toBeGreaterThan(asked.length * 0.8);
  });
});

describe('mutated command lines', () => {
  it('leave no mark where rules for reading allow them, and some are allowed', {
    timeout: timeLimit(180_000),
  }, async (test) => {
    verifies('L1', 'Z10');
    if (!sandboxWorks) test.skip(NO_SANDBOX);
    const rules = await openShellRules();
    const folder = scene();
    const surroundings = surroundingsOf(folder);
    const allow = FUZZ_RULES.map((pattern) => ({ pattern }));
    const extra = (attackCases('shell-policy') ?? []).map(commandOf);
    const lines = mutants(FUZZ_SEED, FUZZ_MUTANTS, extra);
    const allowed = lines.filter((line) => rules.decide({ allow, deny: [] }, line, surroundings).verdict === 'allow');
    expect([...runLines(folder, allowed)].map((index) => allowed[index])).toEqual([]);
    expect(allowed.length / lines.length).toBeGreaterThan(0.05);
  });
});
